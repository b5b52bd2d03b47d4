import type { Expandable, Expanded } from '@whereabouts/contracts/tracking'
import { anyOf } from '@whereabouts/db/sql-conditions'
import type { Db } from '../db.ts'

type Ids = { asset_id: number; location_id: number | null }
type Things = Partial<Record<Expandable, Expanded | null>>

/**
 * What `expand` adds to each row, in the order of the rows (D12.6). A deleted asset is shown, as its key is; a deleted
 * location is null, as its key is (D8.3). One statement for each kind of thing.
 */
export async function expandRows(
  db: Db,
  orgId: number,
  expand: readonly Expandable[],
  rows: readonly Ids[],
): Promise<Things[]> {
  const read = async (kind: Expandable) => {
    const ids = new Set(rows.flatMap((row) => row[`${kind}_id`] ?? []))
    return [kind, await findThings(db, orgId, kind, [...ids])] as const
  }
  const found = await Promise.all(expand.map(read))
  return rows.map((row) =>
    Object.fromEntries(found.map(([kind, things]) => [kind, things.get(row[`${kind}_id`]) ?? null])),
  )
}

async function findThings(db: Db, orgId: number, kind: Expandable, ids: readonly number[]) {
  const rows = await db
    .selectFrom(kind)
    .select(['id', 'external_key', 'name'])
    .where('org_id', '=', orgId)
    .where(anyOf('id', ids, 'bigint'))
    .$if(kind === 'location', (query) => query.where('deleted_at', 'is', null))
    .execute()
  return new Map<number | null, Expanded>(rows.map((row) => [row.id, row]))
}
