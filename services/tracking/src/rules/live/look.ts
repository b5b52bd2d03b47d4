import type { Tx } from '../../db.ts'
import { lockPositions } from '../../positions/lock-positions.queries.ts'
import { byAsset, type Position } from '../../positions/position.ts'
import { begin, elapse, end, holdsAt, type Hold } from '../decide/holds.ts'
import { isOfMovements, neededMs } from '../decide/rule.ts'
import type { BookedRule } from '../settings/rule-book.ts'
import { currentHold, holdsBySubject, refreshBook, type Holds, type RuleDeps } from './apply-steps.ts'
import { Changes } from './changes.ts'
import { lastLook } from './last-look.ts'
import { lockHolds } from './holds.queries.ts'
import { checkedUntil, firstInside, placesAt, sinceInside, toldBefore } from './look.queries.ts'
import { settle } from './settle.ts'

export type Look = { orgId: number; assetIds: readonly number[]; nowMs: number; ruleId?: number }

/**
 * Compares what rules hold of these assets with where they are: after a rule, the tree, a type or a home changed, or an asset was
 * deleted. Locks their positions, so that each movement is seen by this look or by the transaction that stores it. Returns the
 * number of events.
 */
export async function lookAt(
  tx: Tx,
  deps: RuleDeps,
  { orgId, assetIds, nowMs, ruleId }: Look,
): Promise<number> {
  const positions = byAsset(
    await lockPositions(
      tx,
      assetIds.map((assetId) => ({ orgId, assetId })),
    ),
  )
  await refreshBook(tx, deps.book, [orgId])
  const rules = deps.book
    .of(orgId)
    .filter((rule) => rule.kind !== 'reader_silent' && (ruleId === undefined || rule.id === ruleId))
  if (rules.length === 0) return 0
  const holds = holdsBySubject(
    await lockHolds(
      tx,
      assetIds.map((subjectId) => ({ orgId, subjectId })),
    ),
  )
  const changes = new Changes()
  for (const rule of rules) {
    const missing: number[] = []
    for (const assetId of assetIds) {
      const hold = currentHold(holds, rule, assetId)
      const isTrue = isTrueNow(rule, assetId, positions.get(assetId), nowMs)
      if (hold && !isTrue) {
        const place = positions.get(assetId)?.locationId ?? null
        const isGone = deps.view.asset(orgId, assetId)?.deleted === true
        // It may have been due before.
        changes.note(rule, { type: 'asset', id: assetId }, hold, elapse(rule, hold, nowMs), {
          before: place,
          after: place,
        })
        changes.drop(changes.now(hold) ?? hold, {
          atMs: nowMs,
          because: isGone ? 'subject_deleted' : 'condition',
        })
      } else if (!hold && isTrue && !isOfMovements(rule)) missing.push(assetId)
    }
    if (rule.kind === 'missing_at') {
      await noteMissing(tx, changes, rule, { assetIds, positions, holds, nowMs })
      continue
    }
    for (const [assetId, hold] of await beginnings(tx, rule, missing, { positions, nowMs })) {
      const place = positions.get(assetId)?.locationId ?? null
      changes.note(rule, { type: 'asset', id: assetId }, undefined, elapse(rule, hold, nowMs), {
        before: place,
        after: place,
      })
    }
  }
  return settle(tx, deps.view, changes)
}

/** Whether the condition may hold, apart from how long. */
function isTrueNow(
  rule: BookedRule,
  assetId: number,
  position: Position | undefined,
  nowMs: number,
): boolean {
  if (!rule.covers(assetId)) return false
  const place = position?.locationId ?? null
  if (rule.kind === 'not_seen_for')
    return (
      position !== undefined &&
      rule.isInside(place) &&
      position.observedAtMs + neededMs(rule) + rule.forMs <= nowMs
    )
  if (!position && rule.kind !== 'missing_at') return false
  return holdsAt(rule, assetId, place)
}

/** Since when the condition has held for assets of which nothing is held yet. */
async function beginnings(
  tx: Tx,
  rule: BookedRule,
  assetIds: readonly number[],
  { positions, nowMs }: { positions: ReadonlyMap<number, Position>; nowMs: number },
): Promise<Map<number, Hold>> {
  if (assetIds.length === 0) return new Map()
  const { orgId } = rule
  const since =
    rule.kind === 'stayed_longer_than'
      ? await sinceInside(tx, orgId, assetIds, rule.isInside)
      : new Map<number, number>()
  const told = await toldBefore(tx, rule, assetIds)
  return new Map(
    assetIds.map((id) => {
      const position = positions.get(id)
      const arrivedMs =
        rule.kind === 'not_seen_for' ? position?.observedAtMs : (since.get(id) ?? position?.dwellStartedAtMs)
      const hold = begin(rule, arrivedMs ?? nowMs)
      // What did not fit for a while, and does again, is told again: as of now.
      return [id, told.has(`${id} ${hold.dueMs}`) ? { ...hold, dueMs: rule.openFrom(nowMs) } : hold]
    }),
  )
}

/** Assets that were missing at the last look. The alert of one that came since then is over. */
async function noteMissing(
  tx: Tx,
  changes: Changes,
  rule: BookedRule,
  { assetIds, positions, holds, nowMs }: Omit<Look, 'orgId'> & Known,
): Promise<void> {
  const lookMs = lastLook(rule, await checkedUntil(tx, rule))
  const open = assetIds.filter((id) => rule.covers(id) && !currentHold(holds, rule, id))
  const places = await placesAt(tx, rule.orgId, open, lookMs)
  const out = open.filter((id) => !rule.isInside(places.get(id) ?? null))
  const came = await firstInside(tx, rule.orgId, out, rule.isInside, lookMs)
  const known = await missedBefore(tx, rule, out, lookMs)
  const missing = out.filter((id) => !known.has(id))
  for (const id of missing) {
    const cameMs = came.get(id)
    if (cameMs === undefined && rule.isInside(positions.get(id)?.locationId ?? null)) continue // by another way
    if (cameMs !== undefined && lookMs < rule.fromMs) continue // over before the rule was made
    const hold = begin(rule, lookMs)
    const held = cameMs === undefined ? elapse(rule, hold, nowMs) : end(rule, hold, cameMs)
    const place = places.get(id) ?? null
    changes.note(rule, { type: 'asset', id }, undefined, held, { before: place, after: place })
  }
}

/** Those that were missing at the look before as well, and did not come between: their alert is an older one. */
async function missedBefore(
  tx: Tx,
  rule: BookedRule,
  assetIds: readonly number[],
  lookMs: number,
): Promise<Set<number>> {
  const beforeMs = lastLook(rule, lookMs - 1)
  if (beforeMs < rule.fromMs) return new Set()
  const places = await placesAt(tx, rule.orgId, assetIds, beforeMs)
  const out = assetIds.filter((id) => !rule.isInside(places.get(id) ?? null))
  const came = await firstInside(tx, rule.orgId, out, rule.isInside, beforeMs)
  return new Set(out.filter((id) => (came.get(id) ?? Infinity) > lookMs))
}

type Known = { positions: ReadonlyMap<number, Position>; holds: Holds }
