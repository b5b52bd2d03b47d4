import type { AuditQuery } from '@whereabouts/contracts/resources/keys/audit'
import { customPlan, fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../db.ts'

export type StoredRow = {
  seq: number
  id: string
  at: string
  actor_type: string
  actor_id: number | null
  actor_name: string | null
  action: string
  subject_type: string
  subject_id: number | null
  subject_key: string | null
  changes: Record<string, { from: unknown; to: unknown }>
  ip: string | null
  request_id: string | null
}

export type Filter = Pick<AuditQuery, 'actor_id' | 'action' | 'subject_type' | 'subject_id' | 'from' | 'to'>

const columns = sql.raw(
  'seq, id, at, actor_type, actor_id, actor_name, action, subject_type, subject_id, subject_key, changes, ip, request_id',
)

function matches({ actor_id, action, subject_type, subject_id, from, to }: Filter): RawBuilder<boolean> {
  const terms = [
    ...(actor_id === undefined ? [] : [sql<boolean>`actor_id = ${actor_id}::bigint`]),
    ...(action === undefined ? [] : [sql<boolean>`action = ${action}`]),
    ...(subject_type === undefined ? [] : [sql<boolean>`subject_type = ${subject_type}`]),
    ...(subject_id === undefined ? [] : [sql<boolean>`subject_id = ${subject_id}::bigint`]),
    ...(from === undefined ? [] : [sql<boolean>`at >= ${from}::timestamptz`]),
    ...(to === undefined ? [] : [sql<boolean>`at <= ${to}::timestamptz`]),
  ]
  return terms.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(terms, sql` and `)}`
}

/** Newest first. */
export async function listAudit(
  db: Db,
  orgId: number,
  filter: Filter,
  page: { limit: number; offset: number },
): Promise<StoredRow[]> {
  const { rows } = await sql<StoredRow>`${customPlan}
    select ${columns} from audit where org_id = ${orgId} and ${matches(filter)}
    order by at desc, seq desc limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows
}

export async function countAudit(db: Db, orgId: number, filter: Filter): Promise<number> {
  const { rows } = await sql<{ count: number }>`${customPlan}
    select count(*) from audit where org_id = ${orgId} and ${matches(filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Where the order of an organization begins and ends. `removed`: what is kept comes after it. `issued`: no larger one was ever
 * shown; above `newest` after a restore, until rows are recorded again.
 */
export type Bounds = { removed: number; newest: number; issued: number }

export async function boundsOf(db: Db, orgId: number): Promise<Bounds> {
  const { rows } = await sql<Bounds>`${fixedPlan}
    select removed, newest, greatest(newest, (select last_value from audit_seq)) as issued from (
      select coalesce(max(removed_seq), 0) as removed, coalesce(max(seq), 0) as newest from audit_head
      where org_id = ${orgId}
    ) head`.execute(db)
  const [bounds] = rows
  if (!bounds) throw new Error('there is always one row')
  return bounds
}

/** The rows that match among the `most` that follow `after`, oldest first, and the `seq` of the last of all these. */
export async function followAudit(
  db: Db,
  orgId: number,
  { after, most, filter }: { after: number; most: number; filter: Filter },
): Promise<{ rows: StoredRow[]; passed: number; last: number | null }> {
  const { rows } = await sql<
    { passed: number; last: number | null } & (StoredRow | { seq: null })
  >`${customPlan}
    with passed as materialized (
      select ${columns} from audit where org_id = ${orgId} and seq > ${after}::bigint order by seq limit ${most}
    ), bounds as (
      select count(*) as passed, max(seq) as last from passed
    )
    select bounds.passed, bounds.last, found.* from bounds
    left join (select ${columns} from passed where ${matches(filter)}) found on true
    order by found.seq`.execute(db)
  return {
    rows: rows.flatMap((row) => (row.seq === null ? [] : [row])),
    passed: rows[0]?.passed ?? 0,
    last: rows[0]?.last ?? null,
  }
}
