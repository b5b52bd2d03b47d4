import type { FieldEntry } from '@whereabouts/contracts/errors'
import type { RuleScope } from '@whereabouts/contracts/resources/rules/rules'
import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
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

/** Ids that name nothing live, unless they were there before: what was deleted stays. */
export async function unknownIds(
  db: Db,
  orgId: number,
  scope: RuleScope,
  stored?: RuleScope,
): Promise<FieldEntry[]> {
  const problems: FieldEntry[] = []
  for (const name of Object.keys(TABLES) as Name[]) {
    const added = scope[name].filter((id) => stored?.[name].includes(id) !== true)
    const live = await listLive(db, orgId, name, added)
    for (const [i, id] of scope[name].entries()) {
      if (live.has(id) || !added.includes(id)) continue
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
