import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { epochMs } from '../../sql-times.ts'
import { begin, holdsAt } from '../decide/holds.ts'
import { isOfMovements } from '../decide/rule.ts'
import { placesAt, sinceInside } from '../live/look.queries.ts'
import { lastLook } from '../live/last-look.ts'
import type { BookedRule, RuleBook } from '../settings/rule-book.ts'
import type { RuleSettings } from '../settings/rule-settings.ts'

type Wanted = { orgId: number; settings: RuleSettings; nowMs: number }
type Stands = { assetId: number; placeId: number | null; seenMs: number | null; sinceMs: number | null }

/** How many it counts, and the ids of up to `most` of them. */
export type Existing = { count: number; ids: number[] }

/** What a rule that is made now would raise at once. */
export async function countExisting(
  db: Db,
  book: RuleBook,
  { orgId, settings, nowMs }: Wanted,
  most = 0,
): Promise<Existing> {
  const rule = draftOf(book, orgId, settings, nowMs)
  if (isOfMovements(rule)) return { count: 0, ids: [] }
  const ids =
    rule.kind === 'reader_silent' ? await silentReaders(db, rule, nowMs) : await trueNow(db, rule, nowMs)
  return { count: ids.length, ids: ids.slice(0, most) }
}

/** A rule that is not stored. `fromMs`: since when it looks. */
export function draftOf(book: RuleBook, orgId: number, settings: RuleSettings, fromMs: number): BookedRule {
  const at = new Date(Number.isFinite(fromMs) ? fromMs : 0).toISOString()
  const rule = book.compile({
    ...settings,
    org_id: orgId,
    id: 0,
    revision: 1,
    active_from: at,
    raises_existing: true,
    problem: null,
    open_alerts: 0,
    checked_until: at,
    check_after: null,
    closing: null,
    notice_due_at: null,
    noticed_at: null,
    notice_day: null,
    day_notices: 0,
    created_at: at,
    updated_at: at,
    deleted_at: null,
  })
  return { ...rule, fromMs }
}

async function trueNow(db: Db, rule: BookedRule, nowMs: number): Promise<number[]> {
  const all = (await standings(db, rule.orgId)).filter(({ assetId }) => rule.covers(assetId))
  const isDue = (sinceMs: number) => (begin(rule, sinceMs).dueMs ?? Infinity) <= nowMs
  if (rule.kind === 'not_seen_for')
    return all.flatMap(({ assetId, placeId, seenMs }) =>
      seenMs !== null && rule.isInside(placeId) && isDue(seenMs) ? assetId : [],
    )
  const held = all.filter(
    ({ assetId, placeId, seenMs }) =>
      (seenMs !== null || rule.kind === 'missing_at') && holdsAt(rule, assetId, placeId),
  )
  if (rule.kind === 'missing_at') {
    const lookMs = lastLook(rule, nowMs)
    if (!isDue(lookMs)) return []
    const places = await placesAt(
      db,
      rule.orgId,
      held.map(({ assetId }) => assetId),
      lookMs,
    )
    return held.flatMap(({ assetId }) => (rule.isInside(places.get(assetId) ?? null) ? [] : assetId))
  }
  if (rule.kind !== 'stayed_longer_than')
    return held.flatMap(({ assetId, sinceMs }) => (isDue(sinceMs ?? nowMs) ? assetId : []))
  // The stay at the last place alone may be long enough.
  const [long, short] = [true, false].map((is) =>
    held.filter(({ sinceMs }) => isDue(sinceMs ?? nowMs) === is),
  )
  const since = await sinceInside(
    db,
    rule.orgId,
    (short ?? []).map(({ assetId }) => assetId),
    rule.isInside,
  )
  return [
    ...(long ?? []).map(({ assetId }) => assetId),
    ...(short ?? []).flatMap(({ assetId }) => (isDue(since.get(assetId) ?? nowMs) ? assetId : [])),
  ]
}

async function standings(db: Db, orgId: number): Promise<Stands[]> {
  const { rows } = await sql<Stands>`
    select asset_id as "assetId", location_id as "placeId",
           case when isfinite(observed_at) then ${epochMs('observed_at')} end as "seenMs",
           ${epochMs('dwell_started_at')} as "sinceMs"
    from position where org_id = ${orgId} and deleted_at is null order by asset_id`.execute(db)
  return rows
}

async function silentReaders(db: Db, rule: BookedRule, nowMs: number): Promise<number[]> {
  const { scope, params } = rule.row
  const { rows } = await sql<{ id: number; seen: number | null; is_silent: boolean }>`
    select r.id, ${epochMs('h.last_seen_at')} as seen, r.silent_since is not null as is_silent
    from reader r left join reader_health h on h.org_id = r.org_id and h.reader_key = r.reader_key
    where r.org_id = ${rule.orgId} and (${scope.reader_ids.length} = 0 or r.id = any(${scope.reader_ids}::bigint[]))
    order by r.id`.execute(db)
  return rows.flatMap(({ id, seen, is_silent }) => {
    if (params.seconds === undefined) return is_silent ? id : []
    return seen !== null && (begin(rule, seen).dueMs ?? Infinity) <= nowMs ? id : []
  })
}
