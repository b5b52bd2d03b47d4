import { insertPendingDisconnect } from '../disconnects/disconnects.queries.ts'
import type { ApiKeyRow, Tx } from '../db.ts'
import { deleteSuspension } from '../floods/suspensions.queries.ts'
import { revokeKey } from './api-keys.queries.ts'
import { enqueueKeyState } from './api-keys.state.ts'

/**
 * Call under `lockKey`. Revokes the key, enqueues its state for the gateways and queues the disconnect of its
 * readers.
 */
export async function revokeLockedKey(tx: Tx, { org_id, id, jti }: ApiKeyRow): Promise<ApiKeyRow> {
  const revoked = await revokeKey(tx, org_id, id)
  await enqueueKeyState(tx, revoked)
  await deleteSuspension(tx, org_id, jti)
  await insertPendingDisconnect(tx, jti)
  return revoked
}
