import { keyState, type KeyState } from '@whereabouts/contracts/messages/keys-state'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import type { ApiKeyRow, Tx } from '../../db.ts'

/** What other services know about a key. Never its secret or the hash. */
export const toKeyState = (key: ApiKeyRow): KeyState => ({
  org_id: key.org_id,
  id: key.id,
  jti: key.jti,
  revision: key.revision,
  name: key.name,
  scopes: key.scopes,
  expires_at: key.expires_at,
  revoked_at: key.revoked_at,
  rate_limit_per_minute: key.rate_limit_per_minute,
  message_rate_per_second: key.message_rate_per_second,
})

/** Call under the lock of the key's row, with the row that the change returned. */
export const enqueueKeyState = (tx: Tx, key: ApiKeyRow): Promise<void> =>
  enqueue(tx, keyState, [toKeyState(key)])
