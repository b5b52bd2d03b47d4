import type { AlertsQuery } from '@whereabouts/contracts/resources/rules/alerts'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Db, Tables, Tx } from '../../db.ts'

/** An alert with the names of now. */
export type AlertRow = Selectable<Tables['alert']> & {
  rule_name: string
  kind: string
  sends_events: boolean
  subject_key: string | null
  subject_name: string | null
  location_key: string | null
  location_name: string | null
}

/** `alerts`: rows of `alert` as `a`. */
const named = (alerts: RawBuilder<unknown>) => sql`
  select a.*, r.name as rule_name, r.kind, (r.notify ->> 'event')::boolean as sends_events,
         coalesce(t.external_key, d.reader_key) as subject_key,
         case a.subject_type when 'rule' then r.name else coalesce(t.name, d.name) end as subject_name,
         l.external_key as location_key, l.name as location_name
  from (${alerts}) a
  join rule r on r.org_id = a.org_id and r.id = a.rule_id
  left join asset t on a.subject_type = 'asset' and t.org_id = a.org_id and t.id = a.subject_id
  left join reader d on a.subject_type = 'reader' and d.org_id = a.org_id and d.id = a.subject_id
  left join location l on l.org_id = a.org_id and l.id = a.location_id`

export async function listAlertsById(
  db: Db,
  keys: readonly { orgId: number; id: number }[],
): Promise<AlertRow[]> {
  const { rows } = await sql<AlertRow>`${named(sql`
    select * from alert where (org_id, id) in (
      select * from unnest(${bigints(keys.map((k) => k.orgId))}, ${bigints(keys.map((k) => k.id))}))`)}`.execute(
    db,
  )
  return rows
}

/** An id of a request may be larger than any that was minted. */
export async function findAlert(db: Db, orgId: number, id: number): Promise<AlertRow | undefined> {
  const { rows } = await sql<AlertRow>`${named(sql`
    select * from alert where org_id = ${orgId} and id = ${id}`)}`.execute(db)
  return rows[0]
}

const STATE = {
  raised: sql`resolved_at is null and acknowledged_at is null`,
  acknowledged: sql`resolved_at is null and acknowledged_at is not null`,
  resolved: sql`resolved_at is not null`,
} as const

function conditions(orgId: number, query: AlertsQuery): RawBuilder<unknown>[] {
  const { state, severity, rule_id, asset_id, reader_id, location_id, from, to } = query
  const ids = (column: string, values: readonly number[]) => anyOf(column, values, 'bigint')
  return [
    sql`org_id = ${orgId}`,
    ...(state
      ? [
          sql`(${sql.join(
            state.map((each) => STATE[each]),
            sql` or `,
          )})`,
        ]
      : []),
    ...(severity ? [sql`severity = any(${severity}::text[])`] : []),
    ...(rule_id ? [ids('rule_id', rule_id)] : []),
    ...(asset_id ? [sql`subject_type = 'asset' and ${ids('subject_id', asset_id)}`] : []),
    ...(reader_id ? [sql`subject_type = 'reader' and ${ids('subject_id', reader_id)}`] : []),
    ...(location_id ? [ids('location_id', location_id)] : []),
    ...(from === undefined ? [] : [sql`raised_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`raised_at <= ${to}`]),
  ]
}

export async function listAlerts(
  db: Db,
  orgId: number,
  query: AlertsQuery,
): Promise<{ rows: AlertRow[]; total: number }> {
  const where = sql.join(conditions(orgId, query), sql` and `)
  const page = sql`select * from alert where ${where} order by raised_at desc, id desc limit ${query.limit} offset ${query.offset}`
  const { rows } = await sql<AlertRow>`${named(page)} order by a.raised_at desc, a.id desc`.execute(db)
  const counted = await sql<{ total: number }>`select count(*) as total from alert where ${where}`.execute(db)
  return { rows, total: counted.rows[0]?.total ?? 0 }
}

export type Acknowledger = { type: 'user' | 'key'; id: number | null; name: string | null }

/** Acknowledges those of these alerts that are open. A note of null leaves the one before. Returns their ids. */
export async function acknowledge(
  tx: Tx,
  orgId: number,
  ids: readonly number[],
  { by, note }: { by: Acknowledger; note: string | null },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update alert set note = coalesce(${note}, note),
      acknowledged_at = coalesce(acknowledged_at, clock_timestamp()),
      acknowledged_by = coalesce(acknowledged_by, ${JSON.stringify(by)}::jsonb)
    where org_id = ${orgId} and id = any(${bigints(ids)}) and resolved_at is null
    returning id`.execute(tx)
  return rows.map(({ id }) => id)
}
