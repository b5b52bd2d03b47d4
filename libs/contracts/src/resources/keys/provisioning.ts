import { z } from 'zod'
import { Id, Uuid } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { dataOf, pathId } from '../../rules/query.ts'
import { readerFormats, ReaderKey } from '../tracking/readers.ts'
import type { Route } from '../../route.ts'
import { text } from '../../rules/text.ts'

/** Only this reply has the token. */
const ProvisioningLink = z
  .object({ id: Id, token: z.string(), expires_at: WireInstant })
  .meta({ id: 'ProvisioningLink' })

/** Only this reply has the secret. */
const ReaderSettings = z
  .object({
    org_id: Id,
    reader_key: z.string(),
    format: openEnum(readerFormats),
    client_id: Uuid,
    client_secret: z.string(),
  })
  .meta({ id: 'ReaderSettings' })
export type ReaderSettings = z.infer<typeof ReaderSettings>

const consoleRow = { method: 'POST', upstream: 'keys', counted: false, described: false } as const

/** How the technician at a device gets its settings, without an account (D16.1). */
export const provisioningRoutes = {
  createProvisioningLink: {
    ...consoleRow,
    path: '/orgs/{org_id}/provisioning-links',
    access: 'session',
    role: 'admin',
    summary: 'Create a link that shows the settings of a reader once',
    description:
      'Returns the token of the link, which is shown only once, works once and expires after 24 hours. The API key ' +
      'of the reader is created when the link is used. The reader need not exist yet. 409 beyond 100 open links.',
    params: z.strictObject({ org_id: pathId }),
    body: z.strictObject({ reader_key: ReaderKey, format: z.enum(readerFormats) }),
    success: { status: 201, schema: dataOf(ProvisioningLink) },
    errors: ['validation_error', 'bad_request', 'conflict'],
  },
  provisionReader: {
    ...consoleRow,
    path: '/auth/provision',
    access: 'none',
    summary: 'Create the API key of a reader with the token of a provisioning link',
    description:
      'Returns the settings for the device. The client secret is shown only once. The key can publish for this ' +
      'reader only. 409 if the organization has no room for another key, which does not use up the link.',
    body: z.strictObject({ token: text(1, 255) }),
    success: { status: 200, schema: dataOf(ReaderSettings) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict', 'rate_limited'],
  },
} as const satisfies Record<string, Route>
