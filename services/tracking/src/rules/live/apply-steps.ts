import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { Tx } from '../../db.ts'
import type { SeenAgain } from '../../positions/movements.ts'
import { begin, end, move, type Step } from '../decide/holds.ts'
import { isOfMovements, neededMs } from '../decide/rule.ts'
import type { BookedRule, RuleBook } from '../settings/rule-book.ts'
import { readVersions } from '../settings/rules.queries.ts'
import { Changes } from './changes.ts'
import { lockHolds, type StoredHold } from './holds.queries.ts'
import { settle } from './settle.ts'

export type RuleDeps = { book: RuleBook; view: CatalogView }

export type OrgStep = Step & { orgId: number }

/**
 * What rules say of these movements, in the transaction that stores them. Call under `lockPositions`, with the steps of each asset in
 * the order of time. Returns the number of events.
 */
export async function applySteps(
  tx: Tx,
  { book, view }: RuleDeps,
  { steps, seenAgain, nowMs }: { steps: readonly OrgStep[]; seenAgain: readonly SeenAgain[]; nowMs: number },
): Promise<number> {
  const orgIds = [...new Set([...steps, ...seenAgain].map(({ orgId }) => orgId))]
  if (orgIds.length === 0) return 0
  await refreshBook(tx, book, orgIds)
  const ofOrg = orgIds.filter((orgId) => book.of(orgId).length > 0)
  if (ofOrg.length === 0) return 0
  const seen = seenAgain.filter((one) => book.of(one.orgId).some((rule) => mayHaveMissed(rule, one)))
  const moved = steps.filter(({ orgId }) => ofOrg.includes(orgId))
  const subjects = new Map(
    [...moved, ...seen].map(({ orgId, assetId }) => [assetId, { orgId, subjectId: assetId }]),
  )
  const holds = holdsBySubject(await lockHolds(tx, [...subjects.values()]))
  const changes = new Changes()
  for (const step of moved)
    for (const rule of book.of(step.orgId)) applyStep(changes, holds, { rule, step, nowMs })
  for (const one of seen) for (const rule of book.of(one.orgId)) endSilence(changes, holds, rule, one)
  return settle(tx, view, changes)
}

/** Reads the rules that another replica changed. Under the locks of the positions, so that no change is overlooked. */
export async function refreshBook(tx: Tx, book: RuleBook, orgIds: readonly number[]): Promise<void> {
  const versions = await readVersions(tx, orgIds)
  for (const orgId of orgIds)
    if ((versions.get(orgId) ?? 0) > book.versionOf(orgId)) await book.read(orgId, tx)
}

/** By subject, then by rule. */
export type Holds = ReadonlyMap<number, ReadonlyMap<number, StoredHold>>
export function holdsBySubject(holds: readonly StoredHold[]): Holds {
  const ofSubjects = Map.groupBy(holds, ({ subjectId }) => subjectId)
  return new Map([...ofSubjects].map(([id, own]) => [id, new Map(own.map((hold) => [hold.ruleId, hold]))]))
}

/** A hold of the rule as it is now. One of an older revision does not count. */
export const currentHold = (holds: Holds, { id, revision }: BookedRule, subjectId: number) => {
  const hold = holds.get(subjectId)?.get(id)
  return hold?.revision === revision ? hold : undefined
}

function applyStep(
  changes: Changes,
  holds: Holds,
  { rule, step, nowMs }: { rule: BookedRule; step: OrgStep; nowMs: number },
): void {
  if (rule.kind === 'not_seen_for' || rule.kind === 'reader_silent') return
  const stored = currentHold(holds, rule, step.assetId)
  if (!stored && isElsewhere(rule, step)) return
  const key = { orgId: rule.orgId, ruleId: rule.id, subjectId: step.assetId }
  const hold = changes.has(key) ? changes.now(key) : stored
  if (!hold && !rule.covers(step.assetId)) return
  const held = move(rule, hold, step, nowMs)
  changes.note(rule, { type: 'asset', id: step.assetId }, hold, held, { before: step.from, after: step.to })
}

/** Whether the step neither begins nor ends anything: of many rules, most watch other places. The clock does what becomes due meanwhile. */
const isElsewhere = (rule: BookedRule, { from, to }: OrgStep) =>
  (isOfMovements(rule) || rule.kind === 'stayed_longer_than') && !rule.isInside(from) && !rule.isInside(to)

/** Whether the pause was long enough for the rule to hold. */
const mayHaveMissed = (rule: BookedRule, { beforeMs, atMs }: SeenAgain) =>
  rule.kind === 'not_seen_for' && beforeMs + neededMs(rule) + rule.forMs <= atMs

/** Of a pause that no look has found, the alert is raised and over at once. */
function endSilence(changes: Changes, holds: Holds, rule: BookedRule, seen: SeenAgain): void {
  if (!mayHaveMissed(rule, seen)) return
  const { assetId, beforeMs, placeId, atMs, isLate } = seen
  const stored = currentHold(holds, rule, assetId)
  const isHeld = rule.covers(assetId) && rule.isInside(placeId) && !isLate
  const hold = stored ?? (isHeld ? begin(rule, beforeMs) : undefined)
  if (hold)
    changes.note(rule, { type: 'asset', id: assetId }, stored, end(rule, hold, atMs), {
      before: placeId,
      after: placeId,
    })
}
