import { audit, changesOf, SECRET } from '@whereabouts/db/outbox/audit'
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
  // A link makes the key for the administrator who made the link.
  const maker = created.created_by === null ? undefined : ({ type: 'user', id: created.created_by } as const)
  const changes = { ...changesOf(undefined, shown(created)), client_secret: SECRET }
  await audit(
    tx,
    org.id,
    { action: 'api_key.create', subject: { type: 'api_key', id: created.id }, changes },
    maker,
  )
  return { key: created, secret }
}

const shown = ({ name, scopes, reader_key, expires_at }: ApiKeyRow) => ({
  name,
  scopes,
  reader_key,
  expires_at,
})
