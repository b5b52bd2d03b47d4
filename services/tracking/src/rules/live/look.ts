import type { Tx } from '../../db.ts'
import { lockPositions } from '../../positions/lock-positions.queries.ts'
import { byAsset, type Position } from '../../positions/position.ts'
import { begin, elapse, end, holdsAt, type Hold } from '../decide/holds.ts'
import { isOfMovements, neededMs } from '../decide/rule.ts'
import type { BookedRule } from '../settings/rule-book.ts'
import { currentHold, holdsByName, refreshBook, type RuleDeps } from './apply-steps.ts'
import { Changes } from './changes.ts'
import { lastLook } from './last-look.ts'
import { lockHolds, type StoredHold } from './holds.queries.ts'
import { placesAt, sinceInside } from './look.queries.ts'
import { settle } from './settle.ts'

export type Look = { orgId: number; assetIds: readonly number[]; nowMs: number; ruleId?: number }

/**
 * Compares what rules hold of these assets with where they are: after a rule, the tree, a type or a home changed, or an asset was
 * deleted. Locks their positions, so that each movement is seen by this look or by the transaction that stores it. Returns the
 * number of events.
 */
export async function lookAt(tx: Tx, deps: RuleDeps, { orgId, assetIds, nowMs, ruleId }: Look): Promise<number> {
  const positions = byAsset(await lockPositions(tx, assetIds.map((assetId) => ({ orgId, assetId }))))
  await refreshBook(tx, deps.book, [orgId])
  const rules = deps.book
    .of(orgId)
    .filter((rule) => rule.kind !== 'reader_silent' && (ruleId === undefined || rule.id === ruleId))
  if (rules.length === 0) return 0
  const holds = holdsByName(await lockHolds(tx, assetIds.map((subjectId) => ({ orgId, subjectId }))))
  const changes = new Changes()
  for (const rule of rules) {
    const missing: number[] = []
    for (const assetId of assetIds) {
      const hold = currentHold(holds, rule, assetId)
      const isTrue = isTrueNow(rule, assetId, positions.get(assetId), nowMs)
      if (hold && !isTrue) {
        const isGone = deps.view.asset(orgId, assetId)?.deleted === true
        changes.drop(hold, { atMs: nowMs, because: isGone ? 'subject_deleted' : 'condition' })
      } else if (!hold && isTrue && !isOfMovements(rule)) missing.push(assetId)
    }
    if (rule.kind === 'missing_at') await noteMissed(tx, changes, rule, { assetIds, positions, holds, nowMs })
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
function isTrueNow(rule: BookedRule, assetId: number, position: Position | undefined, nowMs: number): boolean {
  if (!rule.covers(assetId)) return false
  const place = position?.locationId ?? null
  if (rule.kind === 'not_seen_for')
    return position !== undefined && rule.isInside(place) && position.observedAtMs + neededMs(rule) + rule.forMs <= nowMs
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
  if (rule.kind === 'missing_at') {
    const lookMs = lastLook(rule, nowMs)
    const places = await placesAt(tx, orgId, assetIds, lookMs)
    const wereOut = assetIds.filter((id) => !rule.isInside(places.get(id) ?? null))
    return new Map(wereOut.map((id) => [id, begin(rule, lookMs)]))
  }
  const since =
    rule.kind === 'stayed_longer_than' ? await sinceInside(tx, orgId, assetIds, rule.isInside) : new Map<number, number>()
  return new Map(
    assetIds.map((id) => {
      const position = positions.get(id)
      const arrivedMs = rule.kind === 'not_seen_for' ? position?.observedAtMs : (since.get(id) ?? position?.dwellStartedAtMs)
      return [id, begin(rule, arrivedMs ?? nowMs)]
    }),
  )
}

/** Assets that were missing at the last look, and came before it was made. Their alerts are over. */
async function noteMissed(
  tx: Tx,
  changes: Changes,
  rule: BookedRule,
  { assetIds, positions, holds, nowMs }: Omit<Look, 'orgId'> & Known,
): Promise<void> {
  const lookMs = lastLook(rule, nowMs)
  if (lookMs < rule.fromMs) return
  const came = assetIds.filter((id) => {
    const position = positions.get(id)
    const cameMs = position?.dwellStartedAtMs ?? null
    return rule.covers(id) && !currentHold(holds, rule, id) && cameMs !== null && cameMs > lookMs && rule.isInside(position?.locationId ?? null)
  })
  const places = await placesAt(tx, rule.orgId, came, lookMs)
  const since = await sinceInside(tx, rule.orgId, came, rule.isInside)
  for (const id of came) {
    const [place, cameMs] = [places.get(id) ?? null, since.get(id)]
    if (rule.isInside(place) || cameMs === undefined || cameMs <= lookMs) continue
    changes.note(rule, { type: 'asset', id }, undefined, end(rule, begin(rule, lookMs), cameMs), {
      before: place,
      after: place,
    })
  }
}

type Known = { positions: ReadonlyMap<number, Position>; holds: ReadonlyMap<string, StoredHold> }
