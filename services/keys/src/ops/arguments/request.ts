import type { settableLimits } from '@whereabouts/contracts/resources/keys/storage-limits'

export type SettableLimit = (typeof settableLimits)[number]

export type Page = { limit: number; offset: number }

/**
 * A parsed command. An organization is given by id (a number) or name, a key by id or
 * `jti`, which is also the client id.
 */
export type Request = { json: boolean } & (
  | { command: 'org create'; name: string; adminEmail: string; adminName: string; passwordStdin: boolean }
  | { command: 'org add-admin'; org: number | string; email: string; consoleUrl: string | undefined }
  | ({ command: 'org list'; q: string | undefined } & Page)
  | { command: 'org limit'; org: number | string; name: SettableLimit; value: number | null }
  | ({ command: 'org usage'; org: number | string | undefined } & Page)
  | { command: 'org subscription'; org: number | string; endsAt: string | null }
  | { command: 'org delete'; org: number | string; yes: boolean }
  | { command: 'org timezone'; org: number | string; timezone: string | undefined }
  | ({ command: 'key list'; org: number | string; all: boolean } & Page)
  | { command: 'key limit'; key: number | string; perMinute: number | null }
  | { command: 'key message-rate'; key: number | string; perSecond: number | null }
  | { command: 'key revoke'; key: number | string }
  | { command: 'user reset-link'; email: string; consoleUrl: string | undefined }
  | { command: 'user codes-off'; email: string }
  | { command: 'user sign-on-link'; email: string; subject: string; issuer: string | undefined }
  | { command: 'user sign-on-unlink'; email: string }
  | { command: 'broker reload' }
  | { command: 'signing-keys list' }
  | { command: 'signing-keys rotate' }
)
