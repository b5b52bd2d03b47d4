import { inSlices } from '@whereabouts/service-kit/limits/slices'
import { DAY_MS } from '../../positions/packed/day-rows.ts'
import { dayMovements } from '../exports/rows/day-rows.queries.ts'
import type { Window } from '../reports/movement-summary/movement-summary.rules.ts'
import type { Span } from './report.ts'
import { staysFrom, type Source } from './stays.ts'
import type { Step } from './step.ts'
import { lastSteps } from './steps.queries.ts'

const MINUTE_US = 60_000_000
const MS_US = 1_000
/** Stays whose end needs rows of history, at a time. */
const AT_ONCE = 2_000

/**
 * Gives the stays that overlap a window to `take`. A day of movements is read after the other; the rest of the stays of
 * each asset is known from its next movement. Only a stay that ends without a place, or after the window, is looked up.
 */
export async function eachSpan(
  source: Source,
  { window, assetIds }: { window: Window; assetIds: readonly number[] | undefined },
  take: (span: Span) => void,
): Promise<void> {
  const { db, orgId, places } = source
  const isWanted = assetIds && new Set(assetIds)
  const lasting = new Map<number, Step>()
  let unknown: Step[] = []
  const lookUp = async () => {
    for (const { assetId, place, at, end, lastSeen } of await staysFrom(source, unknown))
      take({ assetId, place, fromMs: msOf(at), toMs: msOf(end ?? lastSeen) })
    unknown = []
  }
  const follow = (step: Step) => {
    const start = lasting.get(step.assetId)
    const [before, place] = [start && places.placeOf(start.to), places.placeOf(step.to)]
    if (start && step.from !== null && before === place) return
    if (start && step.from === null) unknown.push(start)
    else if (start && before !== undefined)
      take({ assetId: step.assetId, place: before, fromMs: msOf(start.at), toMs: msOf(step.at) })
    if (place === undefined) lasting.delete(step.assetId)
    else lasting.set(step.assetId, step)
  }
  const from = new Date(window.fromMs).toISOString()
  for (const step of await lastSteps(db, orgId, { before: from, assetIds, places }))
    lasting.set(step.assetId, step)
  for (const day of daysOfUtc(window))
    for await (const rows of dayMovements(db, orgId, day)) {
      await inSlices(rows.asset_id.keys(), (i) => {
        const [assetId, ms, to] = [rows.asset_id[i], rows.observed_at[i], rows.to_location_id[i]]
        if (!assetId || !ms || !to || ms < window.fromMs || ms >= window.toMs) return
        if (isWanted && !isWanted.has(assetId)) return
        const at = ms * MS_US
        const minute = Math.floor(at / MINUTE_US) * MINUTE_US
        follow({ assetId, minute, at, from: rows.from_location_id[i] ?? null, to })
      })
      if (unknown.length > AT_ONCE) await lookUp()
    }
  unknown.push(...lasting.values())
  const rest = unknown
  for (let i = 0; i < rest.length; i += AT_ONCE) {
    unknown = rest.slice(i, i + AT_ONCE)
    await lookUp()
  }
}

const msOf = (us: number) => Math.floor(us / MS_US)

function* daysOfUtc({ fromMs, toMs }: Window): Generator<string> {
  for (let ms = Math.floor(fromMs / DAY_MS) * DAY_MS; ms < toMs; ms += DAY_MS)
    yield new Date(ms).toISOString().slice(0, 10)
}
