import type { AlertNotice } from '@whereabouts/contracts/messages/alerts/alert-notices'
import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db.ts'
import type { RuleRow } from '../settings/rule-row.ts'
import { NOTICE_PAUSE_MS, type StoredChat } from '../settings/stored-notify.ts'
import type { Told, ToldAlert } from './notice-text.ts'

export type RuleKey = { org_id: number; id: number }

/** Rules whose instant to look has come, those that wait longest first. */
export async function listDueRules(db: Db, nowMs: number, limit: number): Promise<RuleKey[]> {
  const { rows } = await sql<RuleKey>`
    select org_id, id from rule where notice_due_at <= to_timestamp(${nowMs / 1_000})
    order by notice_due_at limit ${limit}`.execute(db)
  return rows
}

/** The rule, if it is still due and no other replica has it. No alert of it is raised until the transaction ends. */
export async function lockDueRule(
  tx: Tx,
  { org_id, id }: RuleKey,
  nowMs: number,
): Promise<RuleRow | undefined> {
  const { rows } = await sql<RuleRow>`
    select * from rule where org_id = ${org_id} and id = ${id} and notice_due_at <= to_timestamp(${nowMs / 1_000})
    for update skip locked`.execute(tx)
  return rows[0]
}

/** A rule whose notice cannot be written waits, so that it keeps no other one from being told. */
export async function postpone(db: Db, { org_id, id }: RuleKey, nowMs: number): Promise<void> {
  await sql`update rule set notice_due_at = to_timestamp(${(nowMs + NOTICE_PAUSE_MS) / 1_000})
    where org_id = ${org_id} and id = ${id}`.execute(db)
}

/** The alerts that nobody was told of, the oldest first. */
export const listToTell = (tx: Tx, { org_id, id }: RuleKey, limit: number): Promise<Told> =>
  listTold(tx, sql`a.org_id = ${org_id} and a.rule_id = ${id} and a.to_tell`, limit)

/** The alerts that were told before this time, and that nobody has acknowledged. */
export const listToRemind = (
  tx: Tx,
  { org_id, id }: RuleKey,
  toldBeforeMs: number,
  limit: number,
): Promise<Told> =>
  listTold(
    tx,
    sql`a.org_id = ${org_id} and a.rule_id = ${id} and a.told_at <= to_timestamp(${toldBeforeMs / 1_000}) and not a.to_tell
      and a.acknowledged_at is null and a.resolved_at is null`,
    limit,
  )

async function listTold(tx: Tx, where: ReturnType<typeof sql>, limit: number): Promise<Told> {
  const { rows } = await sql<ToldAlert & { all: number }>`
    select a.subject_type, coalesce(t.external_key, d.reader_key) as subject_key, coalesce(t.name, d.name) as subject_name,
           l.name as location_name, a.raised_at, a.resolved_at, a.all
    from (select a.*, count(*) over () as all from alert a where ${where} order by a.raised_at, a.id limit ${limit}) a
    left join asset t on a.subject_type = 'asset' and t.org_id = a.org_id and t.id = a.subject_id
    left join reader d on a.subject_type = 'reader' and d.org_id = a.org_id and d.id = a.subject_id
    left join location l on l.org_id = a.org_id and l.id = a.location_id
    order by a.raised_at, a.id`.execute(tx)
  return { alerts: rows, count: rows[0]?.all ?? 0 }
}

/** All that waits is told, also what found no line. What is reminded of is so again after the same time. */
export async function markTold(
  tx: Tx,
  { org_id, id }: RuleKey,
  { nowMs, remindBeforeMs }: { nowMs: number; remindBeforeMs: number | null },
): Promise<void> {
  const now = sql`to_timestamp(${nowMs / 1_000})`
  await sql`update alert set to_tell = false, told_at = ${now}
    where org_id = ${org_id} and rule_id = ${id} and to_tell`.execute(tx)
  if (remindBeforeMs !== null)
    await sql`update alert set told_at = ${now}
      where org_id = ${org_id} and rule_id = ${id} and told_at <= to_timestamp(${remindBeforeMs / 1_000})
        and acknowledged_at is null and resolved_at is null`.execute(tx)
}

/** Nobody is to be told any more. */
export async function tellNobody(tx: Tx, { org_id, id }: RuleKey): Promise<void> {
  await sql`update alert set to_tell = false where org_id = ${org_id} and rule_id = ${id} and to_tell`.execute(
    tx,
  )
}

/** When the first of the alerts that nobody has acknowledged was told, in milliseconds; null if there is none. */
export async function firstTold(tx: Tx, { org_id, id }: RuleKey): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`
    select date_part('epoch', min(told_at)) * 1000 as at from alert
    where org_id = ${org_id} and rule_id = ${id} and told_at is not null and acknowledged_at is null
      and resolved_at is null`.execute(tx)
  return rows[0]?.at ?? null
}

type Progress = { dueMs: number | null; noticed?: { atMs: number; day: string; count: number } }

/** A new notice is a new chance: what failed before is over. */
export async function saveProgress(
  tx: Tx,
  { org_id, id }: RuleKey,
  { dueMs, noticed }: Progress,
): Promise<void> {
  const due = dueMs === null ? null : dueMs / 1_000
  const set = noticed
    ? sql`, noticed_at = to_timestamp(${noticed.atMs / 1_000}), notice_day = ${noticed.day},
        day_notices = ${noticed.count}, problem = case when problem = 'notify_failed' then null else problem end`
    : sql``
  await sql`update rule set notice_due_at = to_timestamp(${due}::float8) ${set}
    where org_id = ${org_id} and id = ${id}`.execute(tx)
}

/** One for the mails, and one for each channel. */
export async function insertNotices(
  tx: Tx,
  { org_id, id, notify }: RuleRow,
  notice: AlertNotice,
): Promise<void> {
  const targets = [...(notify.email.length > 0 ? [null] : []), ...notify.chat]
  for (const chat of targets)
    await sql`insert into rule_notice (org_id, rule_id, chat, notice)
      values (${org_id}, ${id}, ${chat && JSON.stringify(chat)}::jsonb, ${JSON.stringify(notice)}::jsonb)`.execute(
      tx,
    )
}

export type NoticeRow = {
  org_id: number
  id: string
  rule_id: number
  chat: StoredChat | null
  notice: AlertNotice
  failed_before: number
  email: string[]
}

/**
 * Takes a message that is due, of none of these organizations, and sets its next attempt, as if this one failed: a process that dies
 * keeps no message.
 */
export async function claimNotice(db: Db, busy: readonly number[]): Promise<NoticeRow | undefined> {
  const { rows } = await sql<NoticeRow>`
    update rule_notice n set failed_before = n.failed_before + 1,
      next_attempt_at = clock_timestamp() + least(interval '1 minute' * 2 ^ least(n.failed_before, 6), interval '30 minutes')
    from rule r
    where r.org_id = n.org_id and r.id = n.rule_id and (n.org_id, n.id) = (
      select w.org_id, w.id from rule_notice w join rule on rule.org_id = w.org_id and rule.id = w.rule_id
      where w.next_attempt_at <= clock_timestamp() and w.org_id <> all(${bigints(busy)})
      order by w.next_attempt_at limit 1 for update of w skip locked)
    returning n.org_id, n.id, n.rule_id, n.chat, n.notice, n.failed_before, r.notify -> 'email' as email`.execute(
    db,
  )
  return rows[0]
}

/** Deletes a message that is done or given up. `hasFailed` shows on its rule, unless that has a worse problem. */
export async function endNotice(
  db: Db,
  { org_id, id, rule_id }: NoticeRow,
  hasFailed: boolean,
): Promise<void> {
  await sql`with ended as (delete from rule_notice where org_id = ${org_id} and id = ${id} returning 1)
    update rule set problem = 'notify_failed'
    where org_id = ${org_id} and id = ${rule_id} and ${hasFailed} and problem is null and deleted_at is null`.execute(
    db,
  )
}

/** Rules with channels, after the one with this place in the order, at most `limit`. */
export async function listChatRules(
  db: Db,
  after: RuleKey,
  limit: number,
): Promise<(RuleKey & { chat: StoredChat[] })[]> {
  const { rows } = await sql<RuleKey & { chat: StoredChat[] }>`
    select org_id, id, notify -> 'chat' as chat from rule
    where (org_id, id) > (${after.org_id}, ${after.id}) and jsonb_array_length(coalesce(notify -> 'chat', '[]')) > 0
      and deleted_at is null
    order by org_id, id limit ${limit}`.execute(db)
  return rows
}

/** Replaces the channels of a rule, unless somebody changed them meanwhile. */
export async function replaceChats(
  db: Db,
  { org_id, id }: RuleKey,
  before: readonly StoredChat[],
  after: readonly StoredChat[],
): Promise<void> {
  await sql`update rule set notify = jsonb_set(notify, '{chat}', ${JSON.stringify(after)}::jsonb)
    where org_id = ${org_id} and id = ${id} and notify -> 'chat' = ${JSON.stringify(before)}::jsonb`.execute(
    db,
  )
}
