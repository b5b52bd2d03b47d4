import type { Expandable, Expanded } from '@whereabouts/contracts/resources/tracking/tracking'
import { anyOf } from '@whereabouts/db/sql-conditions'
import type { Db } from '../db.ts'

/**
 * The rows with what `expand` adds to each (D12.6). A deleted asset is shown, as its key is; a deleted location is null,
 * as its key is (D8.3). One statement for each kind of thing.
 */
export async function expandRows<Row extends { location_id: number | null }>(
  db: Db,
  orgId: number,
  expand: readonly Expandable[] | undefined,
  rows: Row[],
  assetIdOf: (row: Row) => number,
): Promise<Row[]> {
  if (expand === undefined) return rows
  const idOf = { asset: assetIdOf, location: (row: Row) => row.location_id }
  const columns = expand.map(async (kind) => {
    const ids = rows.map(idOf[kind])
    const things = await findThings(db, orgId, kind, new Set(ids.filter((id) => id !== null)))
    return ids.map((id) => [kind, things.get(id) ?? null] as const)
  })
  const added = await Promise.all(columns)
  return rows.map((row, i) =>
    Object.assign({}, row, Object.fromEntries(added.flatMap((column) => column.slice(i, i + 1)))),
  )
}

async function findThings(db: Db, orgId: number, kind: Expandable, ids: ReadonlySet<number>) {
  const rows = await db
    .selectFrom(kind)
    .select(['id', 'external_key', 'name'])
    .where('org_id', '=', orgId)
    .where(anyOf('id', [...ids], 'bigint'))
    .$if(kind === 'location', (query) => query.where('deleted_at', 'is', null))
    .execute()
  return new Map<number | null, Expanded>(rows.map((row) => [row.id, row]))
}
