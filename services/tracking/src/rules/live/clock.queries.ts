import type { ResolvedBecause } from '@whereabouts/contracts/resources/rules/alerts'
import { MOST_OPEN_ALERTS } from '@whereabouts/contracts/resources/rules/rules'
import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql, type Kysely } from 'kysely'
import type { Db, Tables, Tx } from '../../db.ts'
import { epochMs } from '../../sql-times.ts'
import type { RuleRow } from '../settings/rule-row.ts'
import { Changes } from './changes.ts'

export type RuleKey = Pick<RuleRow, 'org_id' | 'id'>

/** When the oldest hold was due, in milliseconds since 1970; null if none is. */
export async function oldestDue(db: Db, nowMs: number): Promise<number | null> {
  const { rows } = await sql<{ ms: number | null }>`
    select ${epochMs('due_at')} as ms from rule_hold where due_at <= ${new Date(nowMs).toISOString()}
    order by due_at limit 1`.execute(db)
  return rows[0]?.ms ?? null
}

/** Rules whose alerts are to be closed, or whose assets are to be looked at. */
export async function listChecks(db: Db): Promise<RuleKey[]> {
  const { rows } = await sql<RuleKey>`
    select org_id, id from rule where check_after is not null or closing is not null order by org_id, id limit 1000`.execute(
    db,
  )
  return rows
}

/**
 * The rule, for the work of one transaction. Undefined if another replica works at it. Not by a lock of its row, which comes after those
 * of positions.
 */
export async function claimRule(tx: Tx, { org_id, id }: RuleKey): Promise<RuleRow | undefined> {
  const { rows } = await sql<{ is_mine: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`rule:${org_id}:${id}`}, 0)) as is_mine`.execute(tx)
  if (rows[0]?.is_mine !== true) return undefined
  return tx
    .selectFrom('rule')
    .selectAll()
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The next assets to look at, in the order of their ids. */
export async function nextAssets(tx: Tx, { org_id, check_after }: RuleRow, limit: number): Promise<number[]> {
  const { rows } = await sql<{ asset_id: number }>`
    select asset_id from position where org_id = ${org_id} and asset_id > ${check_after}
    order by asset_id limit ${limit}`.execute(tx)
  return rows.map(({ asset_id }) => asset_id)
}

/** Unless the check began again meanwhile. */
export async function moveCheck(
  tx: Tx,
  { org_id, id, check_after, revision }: RuleRow,
  to: number | null,
): Promise<void> {
  await sql`
    update rule set check_after = ${to}
    where org_id = ${org_id} and id = ${id} and check_after = ${check_after} and revision = ${revision}`.execute(
    tx,
  )
}

/** Has all assets of these rules looked at, or of all rules of the organization that have places or homes. */
export async function checkAgain(tx: Db, orgId: number, ruleIds: readonly number[]): Promise<void> {
  await sql`
    update rule set check_after = 0
    where org_id = ${orgId} and id = any(${bigints(ruleIds)}) and enabled and deleted_at is null`.execute(tx)
}

export async function setChecked(tx: Tx, { org_id, id }: RuleKey, untilMs: number): Promise<void> {
  await sql`
    update rule set checked_until = ${new Date(untilMs).toISOString()}
    where org_id = ${org_id} and id = ${id}`.execute(tx)
}

/** Ends some alerts of older revisions, and deletes their holds. When none is left, the rule is not closing any more. */
export async function closeOlder(tx: Tx, rule: RuleRow, limit: number): Promise<Changes> {
  const { org_id: orgId, id, revision } = rule
  const changes = new Changes()
  await sql`
    delete from rule_hold where ctid = any(array(
      select ctid from rule_hold where org_id = ${orgId} and rule_id = ${id} and revision < ${revision} limit ${limit * 10}))`.execute(
    tx,
  )
  const { rows } = await sql<{ id: number }>`
    select id from alert
    where org_id = ${orgId} and rule_id = ${id} and revision < ${revision} and resolved_at is null
    order by id limit ${limit}`.execute(tx)
  const because: ResolvedBecause = rule.closing ?? 'rule_changed'
  for (const row of rows)
    changes.resolved.push({ orgId, ruleId: id, alertId: row.id, atMs: Date.now(), because })
  const holdsLeft = await sql<{ n: number }>`
    select 1 as n from rule_hold where org_id = ${orgId} and rule_id = ${id} and revision < ${revision} limit 1`.execute(
    tx,
  )
  if (rows.length < limit && holdsLeft.rows.length === 0)
    await sql`update rule set closing = null where org_id = ${orgId} and id = ${id} and revision = ${revision}`.execute(
      tx,
    )
  return changes
}

/** Rules that passed alerts over and have room by now. */
export async function listRoom(db: Db): Promise<(RuleKey & { room: number })[]> {
  const { rows } = await sql<RuleKey & { room: number }>`
    select org_id, id, ${MOST_OPEN_ALERTS} - open_alerts as room from rule
    where problem = 'too_many' and open_alerts < ${MOST_OPEN_ALERTS} limit 100`.execute(db)
  return rows
}

/** Lets some of the alerts be raised that were passed over. Where none is left, the alert about the rule ends. */
export async function useRoom(tx: Tx, { org_id, id, room }: RuleKey & { room: number }): Promise<Changes> {
  const changes = new Changes()
  const released = await sql`
    update rule_hold set due_at = date_trunc('milliseconds', clock_timestamp())
    where (org_id, rule_id, subject_id) in (
      select org_id, rule_id, subject_id from rule_hold
      where org_id = ${org_id} and rule_id = ${id} and due_at = 'infinity' limit ${room} for update skip locked)`.execute(
    tx,
  )
  if ((released.numAffectedRows ?? 0n) > 0n) return changes
  await sql`update rule set problem = null where org_id = ${org_id} and id = ${id} and problem = 'too_many'`.execute(
    tx,
  )
  const { rows } = await sql<{ id: number }>`
    select id from alert
    where org_id = ${org_id} and rule_id = ${id} and subject_type = 'rule' and resolved_at is null`.execute(
    tx,
  )
  for (const row of rows)
    changes.resolved.push({
      orgId: org_id,
      ruleId: id,
      alertId: row.id,
      atMs: Date.now(),
      because: 'condition',
    })
  return changes
}

/** Deletes alerts that were resolved before this time. */
export async function dropOldAlerts(db: Kysely<Tables>, beforeMs: number): Promise<void> {
  const before = new Date(beforeMs).toISOString()
  for (let deleted = 1n; deleted > 0n;)
    deleted =
      (
        await sql`delete from alert where ctid = any(array(
          select ctid from alert where resolved_at < ${before} limit 1000))`.execute(db)
      ).numAffectedRows ?? 0n
}
