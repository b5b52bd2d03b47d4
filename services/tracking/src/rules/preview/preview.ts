import { inSlices } from '@whereabouts/service-kit/limits/slices'
import type { Db } from '../../db.ts'
import { firstNowhere } from '../../where/visits/ends.queries.ts'
import type { Step } from '../decide/holds.ts'
import { replay, type ReplayedAlert, type Track } from '../decide/replay.ts'
import { neededMs } from '../decide/rule.ts'
import { placesAt, sinceInside } from '../live/look.queries.ts'
import type { BookedRule } from '../settings/rule-book.ts'
import { listDeletedSince, listNowhere, listScope } from './scope.queries.ts'
import { readLastSeen, readPauses } from './pauses.queries.ts'
import { readCrossings, readStandings, type Crossing, type Standings } from './tracks.queries.ts'

type Span = { fromMs: number; toMs: number }
/** Its reason is thrown at the next pause after it has aborted. */
type Limits = { most: number; signal?: AbortSignal }

/** What a rule would have raised from this time to that, by the same steps as live (D14.4): how many, and the `most` newest. */
export async function replayPast(
  db: Db,
  rule: BookedRule,
  span: Span,
  { most, signal }: Limits,
): Promise<{ count: number; alerts: ReplayedAlert[] }> {
  const inScope = await listScope(db, rule.orgId, rule.row.scope)
  const assetIds = inScope.filter((id) => rule.coversDeleted(id) && (!isOfHomes(rule) || rule.hasHome(id)))
  const tracks = await readTracks(db, rule, assetIds, { ...span, signal })
  const looks = rule.kind === 'missing_at' ? looksOf(rule, span) : []
  const alerts: ReplayedAlert[] = []
  await inSlices(tracks, (track) => {
    signal?.throwIfAborted()
    for (const alert of replay(rule, track, { toMs: span.toMs, looks }))
      if (alert.raisedMs >= span.fromMs) alerts.push(alert)
  })
  const newest = alerts.toSorted((a, b) => b.raisedMs - a.raisedMs || b.assetId - a.assetId).slice(0, most)
  return { count: alerts.length, alerts: await atTheirPlaces(db, rule, newest) }
}

function looksOf(rule: BookedRule, { fromMs, toMs }: Span): number[] {
  const looks: number[] = []
  for (let atMs = rule.nextLook(fromMs - 1); atMs <= toMs; atMs = rule.nextLook(atMs)) looks.push(atMs)
  return looks
}

const isOfHomes = ({ kind }: BookedRule) => kind === 'away_from_home'
/** Where an asset is does not matter to a rule that tells of any that is not seen. */
const needsSteps = ({ kind, row }: BookedRule) => kind !== 'not_seen_for' || row.scope.location_ids.length > 0

async function readTracks(
  db: Db,
  rule: BookedRule,
  assetIds: readonly number[],
  { fromMs, toMs, signal }: Span & { signal: AbortSignal | undefined },
): Promise<Track[]> {
  const { orgId, kind } = rule
  const places = isOfHomes(rule) || kind === 'not_seen_for' ? undefined : [...rule.places()]
  const wantedSteps = { fromMs, toMs, places, assetIds: isOfHomes(rule) ? assetIds : undefined }
  const crossings = needsSteps(rule) ? await readCrossings(db, orgId, wantedSteps) : []
  signal?.throwIfAborted()
  const stands = await readStandings(db, orgId, assetIds, fromMs)
  const steps = await withDepartures(db, rule, { crossings, stands, toMs })
  signal?.throwIfAborted()
  const inside = assetIds.filter((id) => rule.isInside(stands.get(id)?.placeId ?? null))
  const since =
    kind === 'stayed_longer_than'
      ? await sinceInside(db, orgId, inside, rule.isInside, fromMs)
      : new Map<number, number>()
  const deleted = await listDeletedSince(db, orgId, fromMs)
  const wanted = { orgId, assetIds, fromMs, toMs, longMs: neededMs(rule) + rule.forMs, signal }
  const seen = kind === 'not_seen_for' ? await readPauses(db, wanted) : undefined
  const lastSeen = kind === 'not_seen_for' ? await readLastSeen(db, wanted) : undefined
  return assetIds.map((assetId) => ({
    assetId,
    placeId: stands.get(assetId)?.placeId ?? null,
    sinceMs: since.get(assetId) ?? stands.get(assetId)?.sinceMs ?? null,
    seenMs: lastSeen?.get(assetId) ?? null,
    steps: steps.get(assetId) ?? [],
    ...(seen && { seen: seen.get(assetId) ?? [] }),
    deletedMs: deleted.get(assetId) ?? null,
  }))
}

const byTime = (a: Crossing, b: Crossing) => a.atMs - b.atMs

/**
 * The movements of each asset, with the steps to nowhere between them: a movement that comes from nowhere tells that the asset was read
 * without a location before it, and its position that it is now. Only those from inside the places are looked up.
 */
async function withDepartures(
  db: Db,
  rule: BookedRule,
  { crossings, stands, toMs }: { crossings: readonly Crossing[]; stands: Standings; toMs: number },
): Promise<Map<number, Step[]>> {
  const { orgId } = rule
  const nowhere = new Set(await listNowhere(db, orgId))
  const steps = new Map<number, Step[]>()
  const gaps: { assetId: number; at: number; from: number; afterMs: number; beforeMs: number }[] = []
  const byAsset = Map.groupBy(crossings, ({ assetId }) => assetId)
  for (const assetId of new Set([...byAsset.keys(), ...nowhere])) {
    const own: Step[] = []
    let last = stands.get(assetId)
    const noteGap = (beforeMs: number) => {
      if (last && rule.isInside(last.placeId))
        gaps.push({ assetId, at: own.length, from: last.placeId, afterMs: last.sinceMs, beforeMs })
    }
    for (const { atMs, from, to } of byAsset.get(assetId)?.toSorted(byTime) ?? []) {
      if (from === null) noteGap(atMs)
      own.push({ assetId, atMs, from: from ?? null, to, isLate: false })
      last = { placeId: to, sinceMs: atMs }
    }
    if (nowhere.has(assetId)) noteGap(toMs)
    steps.set(assetId, own)
  }
  const left = await firstNowhere(
    db,
    orgId,
    gaps.map(({ assetId, afterMs, beforeMs }) => ({
      assetId,
      after: afterMs * 1_000,
      before: beforeMs * 1_000,
    })),
  )
  for (const [i, { assetId, at, from }] of [...gaps.entries()].toReversed()) {
    const instant = left[i]
    if (instant)
      steps
        .get(assetId)
        ?.splice(at, 0, { assetId, atMs: Math.floor(instant.at / 1_000), from, to: null, isLate: false })
  }
  return steps
}

/** Where assets were when the alerts were raised: steps within the places were not read. */
async function atTheirPlaces(
  db: Db,
  rule: BookedRule,
  alerts: readonly ReplayedAlert[],
): Promise<ReplayedAlert[]> {
  if (rule.kind === 'left' || rule.kind === 'entered') return [...alerts]
  const isNowhere = ({ placeId }: ReplayedAlert) => placeId === null && needsSteps(rule)
  const found: ReplayedAlert[] = []
  for (const [raisedMs, ofInstant] of Map.groupBy(alerts, (alert) => alert.raisedMs)) {
    const places = await placesAt(
      db,
      rule.orgId,
      ofInstant.map(({ assetId }) => assetId),
      raisedMs,
    )
    for (const alert of ofInstant)
      found.push({
        ...alert,
        placeId: isNowhere(alert) ? null : (places.get(alert.assetId) ?? alert.placeId),
      })
  }
  return found
}
