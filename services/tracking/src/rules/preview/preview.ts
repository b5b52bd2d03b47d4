import { inSlices } from '@whereabouts/service-kit/limits/slices'
import type { Db } from '../../db.ts'
import { replay, type ReplayedAlert, type Track } from '../decide/replay.ts'
import { neededMs } from '../decide/rule.ts'
import { sinceInside } from '../live/look.queries.ts'
import type { BookedRule } from '../settings/rule-book.ts'
import { listDeletedSince, listScope } from './scope.queries.ts'
import { readLastSeen, readPauses } from './pauses.queries.ts'
import { readCrossings, readStandings, type Crossing } from './tracks.queries.ts'

type Span = { fromMs: number; toMs: number }

/** What a rule would have raised from this time to that, newest first, by the same steps as live (D14.4). */
export async function replayPast(db: Db, rule: BookedRule, span: Span): Promise<ReplayedAlert[]> {
  const assetIds = (await listScope(db, rule.orgId, rule.row.scope)).filter((id) => rule.coversDeleted(id))
  const tracks = await readTracks(db, rule, assetIds, span)
  const looks = rule.kind === 'missing_at' ? looksOf(rule, span) : []
  const alerts: ReplayedAlert[] = []
  await inSlices(tracks, (track) => {
    for (const alert of replay(rule, track, { toMs: span.toMs, looks }))
      if (alert.raisedMs >= span.fromMs) alerts.push(alert)
  })
  return alerts.toSorted((a, b) => b.raisedMs - a.raisedMs || b.assetId - a.assetId)
}

function looksOf(rule: BookedRule, { fromMs, toMs }: Span): number[] {
  const looks: number[] = []
  for (let atMs = rule.nextLook(fromMs - 1); atMs <= toMs; atMs = rule.nextLook(atMs)) looks.push(atMs)
  return looks
}

async function readTracks(
  db: Db,
  rule: BookedRule,
  assetIds: readonly number[],
  { fromMs, toMs }: Span,
): Promise<Track[]> {
  const { orgId, kind } = rule
  const places = kind === 'away_from_home' || kind === 'not_seen_for' ? undefined : [...rule.places()]
  const needsSteps = kind !== 'not_seen_for' || rule.row.scope.location_ids.length > 0
  const crossings = needsSteps ? await readCrossings(db, orgId, { fromMs, toMs, places }) : []
  const steps = Map.groupBy(crossings, ({ assetId }) => assetId)
  const stands = await readStandings(db, orgId, assetIds, fromMs)
  const inside = assetIds.filter((id) => rule.isInside(stands.get(id)?.placeId ?? null))
  const since =
    kind === 'stayed_longer_than'
      ? await sinceInside(db, orgId, inside, rule.isInside, fromMs)
      : new Map<number, number>()
  const deleted = await listDeletedSince(db, orgId, fromMs)
  const wanted = { orgId, assetIds, fromMs, toMs, longMs: neededMs(rule) + rule.forMs }
  const seen = kind === 'not_seen_for' ? await readPauses(db, wanted) : undefined
  const lastSeen = kind === 'not_seen_for' ? await readLastSeen(db, wanted) : undefined
  return assetIds.map((assetId) => ({
    assetId,
    placeId: stands.get(assetId)?.placeId ?? null,
    sinceMs: since.get(assetId) ?? stands.get(assetId)?.sinceMs ?? null,
    seenMs: lastSeen?.get(assetId) ?? null,
    steps: (steps.get(assetId) ?? []).map(toStep),
    ...(seen && { seen: seen.get(assetId) ?? [] }),
    deletedMs: deleted.get(assetId) ?? null,
  }))
}

const toStep = ({ assetId, atMs, from, to }: Crossing) => ({ assetId, atMs, from, to, isLate: false })
