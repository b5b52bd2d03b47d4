import type { FieldEntry } from '@whereabouts/contracts/errors'
import type { RuleScope } from '@whereabouts/contracts/resources/rules/rules'
import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { CatalogResolver } from '../../catalog/catalog-resolver.ts'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { Db } from '../../db.ts'

const TABLES = {
  asset_ids: { table: 'asset', thing: 'asset', live: sql`and deleted_at is null` },
  location_ids: { table: 'location', thing: 'location', live: sql`and deleted_at is null` },
  reader_ids: { table: 'reader', thing: 'reader', live: sql`` },
} as const
type Name = keyof typeof TABLES

/** Those of these ids that name something live. */
async function listLive(db: Db, orgId: number, name: Name, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const { table, live } = TABLES[name]
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(table)} where org_id = ${orgId} and id = any(${bigints(ids)}) ${live}`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Finds what is live, as catalog says now: its states may not have arrived in the tables yet. */
export type FindLive = (
  orgId: number,
  wanted: { assetIds: readonly number[]; locationIds: readonly number[] },
) => Promise<(name: 'asset_ids' | 'location_ids', id: number) => boolean>

/** Asks catalog for what the view does not know. */
export const liveFinder =
  (view: CatalogView, resolver: Pick<CatalogResolver, 'resolve'>): FindLive =>
  async (orgId, { assetIds, locationIds }) => {
    await resolver.resolve(orgId, {
      assetIds: assetIds.filter((id) => !view.asset(orgId, id)),
      locationIds: locationIds.filter((id) => !view.location(orgId, id)),
    })
    return (name, id) =>
      (name === 'asset_ids' ? view.asset(orgId, id) : view.location(orgId, id))?.deleted === false
  }

/** Ids that name nothing live, unless they were there before: what was deleted stays. */
export async function unknownIds(
  db: Db,
  findLive: FindLive,
  orgId: number,
  { scope, stored }: { scope: RuleScope; stored?: RuleScope },
): Promise<FieldEntry[]> {
  const added = (name: Name) => scope[name].filter((id) => stored?.[name].includes(id) !== true)
  const isKnown = await findLive(orgId, { assetIds: added('asset_ids'), locationIds: added('location_ids') })
  const readers = await listLive(db, orgId, 'reader_ids', added('reader_ids'))
  const problems: FieldEntry[] = []
  for (const name of Object.keys(TABLES) as Name[]) {
    const isNew = new Set(added(name))
    for (const [i, id] of scope[name].entries()) {
      if (!isNew.has(id) || (name === 'reader_ids' ? readers.has(id) : isKnown(name, id))) continue
      const field = `scope.${name}[${i}]`
      problems.push({
        field,
        code: 'fk_not_found',
        message: `${field} does not name a live ${TABLES[name].thing}`,
      })
    }
  }
  return problems
}

/** Whether a list of the scope holds nothing but ids that were deleted, so that the rule matches nothing. */
export async function isScopeEmpty(db: Db, orgId: number, scope: RuleScope): Promise<boolean> {
  for (const name of Object.keys(TABLES) as Name[])
    if (scope[name].length > 0 && (await listLive(db, orgId, name, scope[name])).size === 0) return true
  return false
}
