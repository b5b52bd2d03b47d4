import type { Tx } from '../../db.ts'
import { instantOf, localDayAt } from '../decide/local-time.ts'
import type { RuleRow } from '../settings/rule-row.ts'
import { MOST_LINES, noticeOf, type Told } from './notice-text.ts'
import {
  firstTold,
  insertNotices,
  listToRemind,
  listToTell,
  lockDueRule,
  markTold,
  saveProgress,
  tellNobody,
  type RuleKey,
} from './notices.queries.ts'
import { NOTICE_PAUSE_MS, tellsPeople } from '../settings/stored-notify.ts'

/** Of a rule, in a day of its organization (D14.6). */
const MOST_A_DAY = 20
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const NONE: Told = { alerts: [], count: 0 }

/** Writes the notice of a rule, if it has something to tell. */
export async function composeNotice(
  tx: Tx,
  due: RuleKey,
  { nowMs, zoneOf }: { nowMs: number; zoneOf: (orgId: number) => string },
): Promise<void> {
  const rule = await lockDueRule(tx, due, nowMs)
  if (!rule) return
  if (!rule.enabled || rule.deleted_at !== null || !tellsPeople(rule.notify)) {
    await tellNobody(tx, rule)
    await saveProgress(tx, rule, { dueMs: null })
    return
  }
  const zone = zoneOf(rule.org_id)
  const today = localDayAt(nowMs, zone)
  const day = new Date(today * DAY_MS).toISOString().slice(0, 10)
  const before = rule.notice_day === day ? rule.day_notices : 0
  if (before >= MOST_A_DAY) {
    await saveProgress(tx, rule, { dueMs: instantOf(today + 1, 0, zone) })
    return
  }
  const { remind_minutes: remind } = rule.notify
  const remindBeforeMs = remind === null ? null : nowMs - remind * MINUTE_MS
  const raised = await listToTell(tx, rule, MOST_LINES)
  const reminded = remindBeforeMs === null ? NONE : await listToRemind(tx, rule, remindBeforeMs, MOST_LINES)
  if (raised.count + reminded.count === 0) {
    await saveProgress(tx, rule, { dueMs: await nextReminder(tx, rule) })
    return
  }
  const isLast = before + 1 === MOST_A_DAY
  await insertNotices(tx, rule, noticeOf({ rule, zone }, { raised, reminded, isLast }))
  await markTold(tx, rule, { nowMs, remindBeforeMs })
  const noticed = { atMs: nowMs, day, count: before + 1 }
  await saveProgress(tx, rule, { dueMs: await nextReminder(tx, rule, nowMs), noticed })
}

/** Never within the pause between two notices. */
async function nextReminder(tx: Tx, rule: RuleRow, noticedMs = 0): Promise<number | null> {
  const { remind_minutes: remind } = rule.notify
  if (remind === null) return null
  const toldMs = await firstTold(tx, rule)
  return toldMs === null ? null : Math.max(toldMs + remind * MINUTE_MS, noticedMs + NOTICE_PAUSE_MS)
}
