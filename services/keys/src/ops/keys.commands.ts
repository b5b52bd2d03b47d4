import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import { pick } from '@whereabouts/contracts/rules/fields'
import {
  countKeys,
  listKeys,
  lockKey,
  updateKeyLimits,
  type KeyLimits,
} from '../credentials/api-keys/api-keys.queries.ts'
import { enqueueKeyState } from '../credentials/api-keys/api-keys.state.ts'
import { revokeLockedKey } from '../credentials/api-keys/revocation.ts'
import type { ApiKeyRow, Db, Tx } from '../db.ts'
import { findOrg } from '../organizations/orgs/orgs.queries.ts'
import { OpsError, orgMissing } from './failures.ts'
import { findAnyKey } from './ops.queries.ts'
import { pageNote, printable, table, type Report } from './report.ts'

/** An id (a number) or a `jti`. */
type KeyReference = number | string

type Listing = { orgId: number; all: boolean; limit: number; offset: number }

export async function listApiKeys(db: Db, { orgId, all, limit, offset }: Listing): Promise<Report> {
  if (!(await findOrg(db, orgId))) throw orgMissing(orgId)
  const [keys, total_count] = await Promise.all([
    listKeys(db, orgId, { limit, offset, revoked: all }),
    countKeys(db, orgId, { revoked: all }),
  ])
  const json = { data: keys.map(toKey), limit, offset, total_count }
  const heading = ['ID', 'JTI', 'NAME', 'SCOPES', 'PER MINUTE', 'MESSAGES/S', 'LAST USED', 'EXPIRES']
  const rows = keys.map((key) => [
    String(key.id),
    key.jti,
    key.name,
    key.scopes.join(','),
    orDefault(key.rate_limit_per_minute),
    orDefault(key.message_rate_per_second),
    key.last_used_at ?? 'never',
    key.expires_at ?? 'never',
    ...(all ? [key.revoked_at ?? ''] : []),
  ])
  const text = table([[...heading, ...(all ? ['REVOKED'] : [])], ...rows])
  return { json, text: text + pageNote(json, keys.length) }
}

/** `limit` null: the default. */
export async function setKeyLimit(db: Db, reference: KeyReference, limit: number | null): Promise<Report> {
  const { key, changed } = await setLimit(db, reference, 'rate_limit_per_minute', limit)
  return {
    json: { key: toKey(key), changed },
    text: `${nameOf(key)} has a limit of ${orDefault(limit)} requests per minute${changed ? '' : ' already'}.`,
  }
}

/** `rate` null: the default. */
export async function setMessageRate(db: Db, reference: KeyReference, rate: number | null): Promise<Report> {
  const { key, changed } = await setLimit(db, reference, 'message_rate_per_second', rate)
  return {
    json: { key: toKey(key), changed },
    text: `${nameOf(key)} has a rate of ${orDefault(rate)} reader messages a second${changed ? '' : ' already'}.`,
  }
}

async function setLimit(db: Db, reference: KeyReference, name: keyof KeyLimits, limit: number | null) {
  const set = await changeKey(db, reference, async (tx, stored) => {
    if (stored[name] === limit) return undefined
    const updated = await updateKeyLimits(tx, stored.org_id, stored.id, { [name]: limit })
    await enqueueKeyState(tx, updated)
    const subject = { type: 'api_key', id: stored.id }
    const changes = changesOf({ [name]: stored[name] }, { [name]: limit })
    await audit(tx, stored.org_id, { action: 'api_key.update', subject, changes })
    return updated
  })
  const { key } = set
  if (key.revoked_at !== null)
    throw new OpsError('conflict', `${nameOf(key)} was revoked at ${key.revoked_at}: it has no limit to set.`)
  return set
}

/** Revoking a revoked key is not a failure. */
export async function revokeApiKey(db: Db, reference: KeyReference): Promise<Report> {
  const { key, changed } = await changeKey(db, reference, revokeLockedKey)
  const text = changed
    ? `${nameOf(key)} is revoked. Gateways refuse its tokens within a second; its readers are being disconnected.`
    : `${nameOf(key)} was revoked already, at ${key.revoked_at}.`
  return { json: { key: toKey(key), changed }, text }
}

/**
 * Changes an unrevoked key under the lock of its row. `change` returns undefined if nothing changes. A revoked key is
 * returned unchanged.
 */
function changeKey(
  db: Db,
  reference: KeyReference,
  change: (tx: Tx, key: ApiKeyRow) => Promise<ApiKeyRow | undefined>,
): Promise<{ key: ApiKeyRow; changed: boolean }> {
  return db.transaction().execute(async (tx) => {
    const found = await findAnyKey(tx, reference)
    if (!found) throw new OpsError('not_found', `There is no API key ${reference}.`)
    const locked = await lockKey(tx, found.org_id, found.id)
    // Read again: the holder of the lock may have revoked it.
    if (!locked) return { key: (await findAnyKey(tx, reference)) ?? found, changed: false }
    const updated = await change(tx, locked)
    return { key: updated ?? locked, changed: updated !== undefined }
  })
}

const orDefault = (limit: number | null) => (limit === null ? 'default' : String(limit))

const nameOf = ({ id, name, org_id }: ApiKeyRow) => `Key ${id} "${printable(name)}" of organization ${org_id}`

const toKey = (key: ApiKeyRow) =>
  pick(key, [
    'id', 'jti', 'org_id', 'name', 'scopes', 'rate_limit_per_minute', 'message_rate_per_second', 'created_at',
    'created_by', 'created_by_key_id', 'expires_at', 'revoked_at', 'last_used_at',
  ]) // oxfmt-ignore
