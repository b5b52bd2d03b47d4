import type { Reads } from './reads.ts'

type Rows = AsyncIterable<string | Buffer>
export type ExportFile = {
  name: string
  /** For the README in the archive. */
  about: string
  rows: (reads: Reads) => Rows
}

const line = (row: unknown) => `${JSON.stringify(row)}\n`

async function* lines(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map(line).join('')
}

/** After `organization.ndjson`, in the order of the archive. What grows without bound is streamed by its service. */
export const files: readonly ExportFile[] = [
  {
    name: 'members.ndjson',
    about: 'The people of the organization, with their roles.',
    rows: (reads) => lines(reads.pages('listMembers')),
  },
  {
    name: 'invitations.ndjson',
    about: 'Invitations that can still be accepted.',
    rows: (reads) => lines(reads.pages('listInvitations')),
  },
  {
    name: 'api-keys.ndjson',
    about: 'API keys that are not revoked.',
    rows: (reads) => lines(reads.pages('listApiKeys')),
  },
  {
    name: 'audit.ndjson',
    about: 'Who changed what, oldest first. Changes that were made less than a second before may be missing.',
    rows: (reads) => lines(reads.audit()),
  },
  {
    name: 'placement.ndjson',
    about: 'The settings by which positions are decided, in one line.',
    rows: async function* (reads) {
      yield line(await reads.one('getPlacement'))
    },
  },
  {
    name: 'locations.ndjson',
    about: 'Locations with their tags. Deleted ones have deleted_at.',
    rows: (reads) => reads.stream('exportLocationRows'),
  },
  {
    name: 'assets.ndjson',
    about: 'Assets with their tags and metadata. Deleted ones have deleted_at.',
    rows: (reads) => reads.stream('exportAssetRows'),
  },
  {
    name: 'floor-plans.ndjson',
    about: 'Floor plans. The image of a plan is the file floor-plans/ followed by its hash.',
    rows: async function* (reads) {
      yield (await reads.floorPlans()).map(line).join('')
    },
  },
  {
    name: 'readers.ndjson',
    about: 'Configured and discovered readers, with their mappings and health.',
    rows: async function* (reads) {
      for await (const { id, ...listed } of reads.readers())
        yield line(id === null ? { id, ...listed } : await reads.one('getReader', { reader_id: id }))
    },
  },
  {
    name: 'scan-points.ndjson',
    about: 'Where the antennas of readers are. reader_id names the reader.',
    rows: async function* (reads) {
      for await (const { id: reader_id } of reads.readers())
        if (reader_id !== null)
          for await (const page of reads.pages('listScanPoints', { reader_id }))
            yield page.map((point) => line({ reader_id, ...point })).join('')
    },
  },
  {
    name: 'unknown-tags.ndjson',
    about: 'Tags that were read and that no asset or location has.',
    rows: (reads) => lines(reads.pages('listUnknownTags')),
  },
  {
    name: 'webhook-endpoints.ndjson',
    about: 'Webhooks with their URLs and settings.',
    rows: async function* (reads) {
      for await (const page of reads.pages('listWebhookEndpoints'))
        // Masked in the list too, but its last characters have no use anywhere else.
        yield page.map(({ secret: _secret, ...webhook }: { secret?: string }) => line(webhook)).join('')
    },
  },
  {
    name: 'history.ndjson',
    about: 'Where each asset was, minute by minute: the rows of an export of the history (POST /exports).',
    rows: (reads) => reads.stream('exportHistoryRows'),
  },
]
