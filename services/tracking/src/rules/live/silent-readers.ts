import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import { epochMs } from '../../sql-times.ts'
import { begin, elapse, end } from '../decide/holds.ts'
import { neededMs } from '../decide/rule.ts'
import type { BookedRule } from '../settings/rule-book.ts'
import { currentHold, holdsBySubject, type RuleDeps } from './apply-steps.ts'
import { Changes } from './changes.ts'
import { lockHolds } from './holds.queries.ts'
import { settle } from './settle.ts'

type ReaderHeard = { id: number; seenMs: number | null; isSilent: boolean }
const NOWHERE = { before: null, after: null }

/** Holds a rule for configured readers that are silent, and ends it for those that were heard or deleted. */
export async function lookForSilent(
  tx: Tx,
  { view }: RuleDeps,
  { rule, untilMs }: { rule: BookedRule; untilMs: number },
): Promise<{ checkedMs: number; events: number }> {
  const readers = await listHeard(tx, rule)
  const held = await lockHoldsOf(tx, rule)
  const changes = new Changes()
  for (const { id, seenMs, isSilent } of readers) {
    const hold = held.get(id)
    const isTrue =
      rule.params.seconds === undefined ? isSilent : seenMs !== null && seenMs + neededMs(rule) <= untilMs
    const subject = { type: 'reader' as const, id }
    if (hold && !isTrue) changes.note(rule, subject, hold, end(rule, hold, seenMs ?? untilMs), NOWHERE)
    if (hold || !isTrue) continue
    const sinceMs = rule.params.seconds === undefined ? untilMs : (seenMs ?? untilMs)
    changes.note(rule, subject, undefined, elapse(rule, begin(rule, sinceMs), untilMs), NOWHERE)
  }
  const known = new Set(readers.map(({ id }) => id))
  for (const [id, hold] of held)
    if (!known.has(id)) changes.drop(hold, { atMs: untilMs, because: 'subject_deleted' })
  return { checkedMs: untilMs, events: await settle(tx, view, changes) }
}

async function listHeard(tx: Tx, { orgId, row: { scope } }: BookedRule): Promise<ReaderHeard[]> {
  const { rows } = await sql<ReaderHeard>`
    select r.id, ${epochMs('h.last_seen_at')} as "seenMs", r.silent_since is not null as "isSilent"
    from reader r left join reader_health h on h.org_id = r.org_id and h.reader_key = r.reader_key
    where r.org_id = ${orgId} and (${scope.reader_ids.length} = 0 or r.id = any(${scope.reader_ids}::bigint[]))`.execute(
    tx,
  )
  return rows
}

async function lockHoldsOf(tx: Tx, rule: BookedRule) {
  const { rows } = await sql<{ subject_id: number }>`
    select subject_id from rule_hold where org_id = ${rule.orgId} and rule_id = ${rule.id}`.execute(tx)
  const subjects = rows.map(({ subject_id: subjectId }) => ({ orgId: rule.orgId, subjectId }))
  const holds = holdsBySubject(await lockHolds(tx, subjects))
  return new Map(
    subjects.flatMap(({ subjectId }) => {
      const hold = currentHold(holds, rule, subjectId)
      return hold ? [[subjectId, hold] as const] : []
    }),
  )
}
