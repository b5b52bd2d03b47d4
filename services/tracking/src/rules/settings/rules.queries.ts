import type { RulesQuery } from '@whereabouts/contracts/resources/rules/rules'
import { hasText } from '@whereabouts/db/sql-conditions'
import { sql, type Insertable, type RawBuilder, type Updateable } from 'kysely'
import type { Db, Tables, Tx } from '../../db.ts'
import type { RuleRow } from './rule-row.ts'

export const RULES_CHANNEL = 'rules_changed'

/** The enabled rules, by organization, with the version of its rules. An organization that has none may be left out. */
export async function listEnabledRules(
  db: Db,
  orgId?: number,
): Promise<Map<number, { version: number; rows: RuleRow[] }>> {
  const own = orgId === undefined ? sql`true` : sql`s.org_id = ${orgId}`
  const { rows } = await sql<RuleRow & { version: number; set_org: number }>`
    select r.*, s.version, s.org_id as set_org
    from rule_set s left join rule r on r.org_id = s.org_id and r.enabled and r.deleted_at is null
    where ${own} order by s.org_id, r.id`.execute(db)
  const found = new Map<number, { version: number; rows: RuleRow[] }>()
  for (const { version, set_org, ...row } of rows) {
    const of = found.get(set_org) ?? { version, rows: [] }
    if ((row.id as number | null) !== null) of.rows.push(row)
    found.set(set_org, of)
  }
  return found
}

/** The versions of the rules of these organizations. Call after their positions are locked. */
export async function readVersions(tx: Db, orgIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await tx
    .selectFrom('rule_set')
    .select(['org_id', 'version'])
    .where('org_id', 'in', [...orgIds])
    .execute()
  return new Map(rows.map(({ org_id, version }) => [org_id, version]))
}

/**
 * Lets one change of rules of an organization happen at a time, and notifies every replica once it is committed. Ingest then takes
 * the new rules for all positions that it locks later.
 */
export async function beginChange(tx: Tx, orgId: number): Promise<void> {
  await sql`
    insert into rule_set as s (org_id, version) values (${orgId}, 1)
    on conflict (org_id) do update set version = s.version + 1`.execute(tx)
  await sql`select pg_notify(${RULES_CHANNEL}, ${String(orgId)})`.execute(tx)
}

const live = (db: Db, orgId: number) =>
  db.selectFrom('rule').where('org_id', '=', orgId).where('deleted_at', 'is', null)

export async function countRules(db: Db, orgId: number): Promise<number> {
  const { n } = await live(db, orgId)
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return n
}

export const insertRule = (tx: Tx, values: Insertable<Tables['rule']>): Promise<RuleRow> =>
  tx.insertInto('rule').values(values).returningAll().executeTakeFirstOrThrow()

export const findRule = (db: Db, orgId: number, id: number): Promise<RuleRow | undefined> =>
  live(db, orgId).selectAll().where('id', '=', id).executeTakeFirst()

export const lockRule = (tx: Tx, orgId: number, id: number): Promise<RuleRow | undefined> =>
  live(tx, orgId).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

type Columns = Tables['rule']
/** Expressions are for instants of the database. */
type NewValues = { [K in keyof Columns]?: Updateable<Columns>[K] | RawBuilder<string> }

export const updateRule = (
  tx: Tx,
  { org_id, id }: Pick<RuleRow, 'org_id' | 'id'>,
  values: NewValues,
): Promise<RuleRow> =>
  tx
    .updateTable('rule')
    .set({ ...(values as Updateable<Columns>), updated_at: sql<string>`clock_timestamp()` })
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

const sortable = {
  name: 'name',
  created_at: 'created_at',
  updated_at: 'updated_at',
  open_alerts: 'open_alerts',
}

export async function listRules(
  db: Db,
  orgId: number,
  { limit, offset, kind, enabled, q, sort = [] }: RulesQuery,
): Promise<{ rows: RuleRow[]; total: number }> {
  const where: RawBuilder<unknown>[] = [
    sql`org_id = ${orgId}`,
    sql`deleted_at is null`,
    ...(kind === undefined ? [] : [sql`kind = any(${kind}::text[])`]),
    ...(enabled === undefined ? [] : [sql`enabled = ${enabled}`]),
    ...(q === undefined ? [] : [hasText(q, ['name'])]),
  ]
  const order = sort.map(({ field, descending }) =>
    sql.raw(`${sortable[field]} ${descending ? 'desc' : 'asc'}`),
  )
  const from = sql`from rule where ${sql.join(where, sql` and `)}`
  const { rows } = await sql<RuleRow>`
    select * ${from} order by ${sql.join([...order, sql`created_at`, sql`id`])} limit ${limit} offset ${offset}`.execute(
    db,
  )
  const counted = await sql<{ total: number }>`select count(*) as total ${from}`.execute(db)
  return { rows, total: counted.rows[0]?.total ?? 0 }
}
