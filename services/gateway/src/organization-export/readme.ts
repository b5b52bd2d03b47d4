import type { ExportFile } from './files.ts'

/** The first file of the archive. */
export const readme = (
  organization: string,
  madeAt: Date,
  files: readonly Pick<ExportFile, 'name' | 'about'>[],
) =>
  [
    `Export of ${organization}`,
    `Begun ${madeAt.toISOString()}`,
    '',
    'Each .ndjson file has one JSON object a line, in the form in which the API shows it. A file without rows is empty.',
    'The files were read one after the other, so a change that was made meanwhile may be in one and not in another.',
    '',
    ...files.map(({ name, about }) => `${name}\n  ${about}`),
    '',
    'Not in this export:',
    '  Passwords and accounts of people, which may belong to several organizations.',
    '  Secrets of API keys and webhooks, and tokens of invitations. They cannot be read again, only replaced.',
    '  Messages of readers as they were sent, deliveries of webhooks, and events, which are kept for days only.',
    '  Counts of inventory: what was saved is in the history and in the audit.',
    '  History that was deleted because it was older than the organization keeps it.',
    '',
    'URLs of webhooks may contain tokens of their receivers. Keep this file where only administrators read it.',
    '',
  ].join('\n')
