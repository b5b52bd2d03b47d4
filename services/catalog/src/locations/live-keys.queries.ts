import { anyOf } from '@whereabouts/db/sql-conditions'
import { locationColumns, type Db, type LocationRow, type Tx } from '../db.ts'

const live = (db: Db, orgId: number) =>
  db.selectFrom('location').where('org_id', '=', orgId).where('deleted_at', 'is', null)

/** The live location with this key. It stays live and keeps its key until the transaction ends. */
export function pinLocation(tx: Tx, orgId: number, key: string): Promise<LocationRow | undefined> {
  return live(tx, orgId).where('external_key', '=', key).select(locationColumns).forShare().executeTakeFirst()
}

/** Id → key of the live locations among these. */
export async function listLiveKeys(
  db: Db,
  orgId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = live(db, orgId)
    .where(anyOf('location.id', ids, 'bigint'))
    .select(['id', 'external_key'])
  return new Map((await rows.execute()).map((row) => [row.id, row.external_key]))
}

export type LocationNames = { external_key: string; name: string }

/** Like `listLiveKeys`, with names. */
export async function listLiveNames(
  db: Db,
  orgId: number,
  ids: readonly number[],
): Promise<Map<number, LocationNames>> {
  if (ids.length === 0) return new Map()
  const rows = live(db, orgId)
    .where(anyOf('location.id', ids, 'bigint'))
    .select(['id', 'external_key', 'name'])
  return new Map((await rows.execute()).map(({ id, ...names }) => [id, names]))
}

export async function listLiveIds(db: Db, orgId: number, keys: readonly string[]): Promise<number[]> {
  const rows = live(db, orgId)
    .where(anyOf('location.external_key', keys, 'text'))
    .select('id')
  return (await rows.execute()).map((row) => row.id)
}
