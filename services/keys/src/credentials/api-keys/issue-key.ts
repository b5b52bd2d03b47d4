import type { ApiKeyRow, OrgRow, Tx } from '../../db.ts'
import { tooManyKeys } from '../../errors.ts'
import { hashSecret, newClientSecret } from '../secrets.ts'
import { countUsableKeys, insertKey, type NewKey } from './api-keys.queries.ts'
import { enqueueKeyState } from './api-keys.state.ts'

/**
 * Creates a key within the limit of the organization, and its secret, which is stored nowhere. Call under `lockOrg`: one
 * creation at a time, or two would pass the limit.
 */
export async function issueKey(
  tx: Tx,
  org: OrgRow,
  key: Omit<NewKey, 'secret_hash'>,
): Promise<{ key: ApiKeyRow; secret: string }> {
  if ((await countUsableKeys(tx, org.id)) >= org.api_key_limit) throw tooManyKeys(org.api_key_limit)
  const secret = newClientSecret()
  const created = await insertKey(tx, org.id, { ...key, secret_hash: hashSecret(secret) })
  await enqueueKeyState(tx, created)
  return { key: created, secret }
}
