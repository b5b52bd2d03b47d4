import type { ConflictOwner } from '@whereabouts/contracts/errors'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import { ownerName } from '../plan/plan.ts'

/** The keys of the live locations with these ids. */
export async function listKeysOf(
  tx: Tx,
  orgId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: number; external_key: string }>`
    select location.id, location.external_key from unnest(${[...new Set(ids)]}::bigint[]) as wanted (id)
    cross join lateral (select id, external_key from location
      where org_id = ${orgId} and id = wanted.id and deleted_at is null offset 0) as location`.execute(tx)
  return new Map(rows.map(({ id, external_key }) => [id, external_key]))
}

/** Live resources by the names that `ownerName` makes. */
export async function listOwners(
  tx: Tx,
  orgId: number,
  names: readonly string[],
): Promise<ReadonlyMap<string, ConflictOwner>> {
  const owners = new Map<string, ConflictOwner>()
  for (const resource of ['asset', 'location'] as const) {
    const start = ownerName(resource, '')
    const keys = names.flatMap((name) => (name.startsWith(start) ? [name.slice(start.length)] : []))
    if (keys.length === 0) continue
    const { rows } = await sql<{ id: number; external_key: string }>`
      select found.id, found.external_key from unnest(${keys}::text[]) as wanted (external_key)
      cross join lateral (select id, external_key from ${sql.table(resource)}
        where org_id = ${orgId} and external_key = wanted.external_key and deleted_at is null offset 0) as found`.execute(
      tx,
    )
    for (const row of rows) owners.set(ownerName(resource, row.external_key), { resource, ...row })
  }
  return owners
}
