import type { Tx } from '../../db.ts'
import { decide, type Decided, type RowBefore } from '../../positions/decide.ts'
import { byAsset, type Position } from '../../positions/position.ts'
import { isJudging, type PlacementRules } from '../../positions/rules.ts'
import type { RuleBook } from '../../rules/settings/rule-book.ts'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { Observation } from '../../positions/observation.ts'
import type { OldDays } from '../../positions/packed/old-days.ts'
import { findRowsBefore } from './scans.queries.ts'

export type StoreDeps = {
  view: CatalogView
  rulesOf: (orgId: number) => PlacementRules
  /** What to tell of movements. */
  book: RuleBook
  now?: () => number
}

/** The positions of a transaction, and the packed days that it may read and change under their lock. */
export type Locked = { current: readonly Position[]; old: OldDays }

/** What the observations of each asset become. */
export async function decideAll(
  tx: Tx,
  { view, rulesOf, now = Date.now }: StoreDeps,
  { current, old }: Locked,
  observations: readonly Observation[],
): Promise<Map<number, Decided>> {
  const positions = byAsset(current)
  const rowBefore = await rowsBefore(tx, old, rulesOf, positions, observations)
  const nowMs = now()
  return new Map(
    [...Map.groupBy(observations, ({ assetId }) => assetId)].map(([assetId, reads]) => {
      const orgId = reads[0]?.orgId ?? 0
      const circumstances = {
        rules: rulesOf(orgId),
        isDeleted: (id: number) => view.location(orgId, id)?.deleted === true,
        nowMs,
        rowBefore: (minute: number) => rowBefore(assetId, minute),
      }
      return [assetId, decide(positions.get(assetId), reads, circumstances)]
    }),
  )
}

/** The rows that decide about late reads, where strengths decide. */
async function rowsBefore(
  tx: Tx,
  old: OldDays,
  rulesOf: StoreDeps['rulesOf'],
  positions: ReadonlyMap<number, Position>,
  observations: readonly Observation[],
): Promise<(assetId: number, minute: number) => RowBefore | undefined> {
  const newest = new Map<number, number>()
  const late = new Map<string, Observation>()
  for (const read of observations) {
    if (!read.isJudged || !isJudging(rulesOf(read.orgId))) continue
    const { assetId, minute } = read
    const before = newest.get(assetId) ?? positions.get(assetId)?.minute ?? -Infinity
    if (minute < before) late.set(`${assetId} ${minute}`, read)
    else newest.set(assetId, minute)
  }
  const found = await findRowsBefore(tx, old, [...late.values()])
  const byName = new Map(found.map((row) => [`${row.assetId} ${row.wanted}`, row]))
  return (assetId, minute) => byName.get(`${assetId} ${minute}`)
}
