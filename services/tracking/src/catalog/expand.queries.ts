import type { Expanded } from '@whereabouts/contracts/resources/home'
import type { Expandable, ReportExpandable } from '@whereabouts/contracts/resources/tracking/tracking'
import { anyOf } from '@whereabouts/db/sql-conditions'
import type { Db } from '../db.ts'
import type { CatalogView } from './catalog-view.ts'

type From = { db: Db; orgId: number; view: CatalogView }

/**
 * The rows with what `expand` adds to each (D12.6, D21.1). A deleted asset is shown, as its key is; a deleted location is null,
 * as its key is (D8.3). One statement for each kind of thing.
 */
export async function expandRows<Row extends { location_id: number | null }>(
  { db, orgId, view }: From,
  expand: readonly ReportExpandable[] | undefined,
  rows: Row[],
  assetIdOf: (row: Row) => number,
): Promise<Row[]> {
  if (expand === undefined) return rows
  const find = async (kind: Expandable, ids: readonly (number | null)[]) => {
    const things = await findThings(db, orgId, kind, new Set(ids.filter((id) => id !== null)))
    return ids.map((id) => things.get(id) ?? null)
  }
  const ways: Record<ReportExpandable, () => Promise<object[]>> = {
    asset: async () => (await find('asset', rows.map(assetIdOf))).map((asset) => ({ asset })),
    location: async () =>
      (await find('location', rows.map(({ location_id: id }) => id))).map((location) => ({ location })), // oxfmt-ignore
    home: async () => {
      const homes = await findHomes(db, orgId, rows.map(assetIdOf))
      const things = await find('location', homes)
      return rows.map(({ location_id }, i) => ({
        home_location: things[i] ?? null,
        is_home: isHome(view, orgId, homes[i] ?? null, location_id),
      }))
    },
  }
  const added = await Promise.all(expand.map((kind) => ways[kind]()))
  return rows.map((row, i) => Object.assign({}, row, ...added.map((column) => column[i])))
}

/** Whether a location is a home or below it; null where either is not there. */
function isHome(
  view: CatalogView,
  orgId: number,
  home: number | null,
  location: number | null,
): boolean | null {
  const isLive = (id: number | null) => id !== null && view.location(orgId, id)?.deleted === false
  if (home === null || location === null || !isLive(home) || !isLive(location)) return null
  return view.withDescendants(orgId, [home]).includes(location)
}

/** The home of each asset, in this order. */
async function findHomes(db: Db, orgId: number, ids: readonly number[]): Promise<(number | null)[]> {
  const rows = await db
    .selectFrom('asset')
    .select(['id', 'home_location_id'])
    .where('org_id', '=', orgId)
    .where(anyOf('id', [...new Set(ids)], 'bigint'))
    .execute()
  const homes = new Map(rows.map((row) => [row.id, row.home_location_id]))
  return ids.map((id) => homes.get(id) ?? null)
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
