import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import { insertPendingDisconnect } from '../../brokers/disconnects/disconnects.queries.ts'
import type { ApiKeyRow, Tx } from '../../db.ts'
import { deleteSuspension } from '../../brokers/floods/suspensions.queries.ts'
import { lockOrg } from '../../organizations/orgs/orgs.queries.ts'
import { revokeKey, revokeKeyTree } from './api-keys.queries.ts'
import { enqueueKeyState } from './api-keys.state.ts'

/** Call under `lockKey`. */
export async function revokeLockedKey(tx: Tx, { org_id, id }: ApiKeyRow): Promise<ApiKeyRow> {
  const revoked = await revokeKey(tx, org_id, id)
  await announce(tx, revoked)
  return revoked
}

/**
 * Revokes the key and all that it created, directly or not. False if the key was revoked before and nothing that it
 * created was live.
 */
export async function revokeWithDescendants(tx: Tx, orgId: number, key: number | string): Promise<boolean> {
  await lockOrg(tx, orgId)
  const revoked = await revokeKeyTree(tx, orgId, key)
  for (const each of revoked) await announce(tx, each)
  return revoked.some(({ is_named, is_live }) => is_named || is_live)
}

/** Enqueues the state of a revoked key for the gateways and queues the disconnect of its readers. */
async function announce(tx: Tx, revoked: ApiKeyRow): Promise<void> {
  await enqueueKeyState(tx, revoked)
  const { org_id, id, name } = revoked
  const changes = changesOf({ name }, undefined)
  await audit(tx, org_id, { action: 'api_key.delete', subject: { type: 'api_key', id }, changes })
  await deleteSuspension(tx, revoked.org_id, revoked.jti)
  await insertPendingDisconnect(tx, revoked.jti)
}
