import type { PlannedAsset } from '../stock.ts'
import { GATE_READER, type WarehousePlan } from '../warehouse.ts'
import type { Sighting } from './device.ts'
import { shuffled, type Random } from './random.ts'
import { tagOf } from './rooms.ts'

export type Gate = {
  /** Advances the time. Returns the sightings by reader key. */
  advance(now: Date): Map<string, Sighting[]>
  /** The truth: the antenna on the side where the asset is. */
  sideOf(asset: PlannedAsset): number
}

type Passage = { asset: PlannedAsset; from: number; startedAtMs: number }

const [INSIDE, OUTSIDE] = [1, 2] as const
const MINUTE_MS = 60_000
const MINUTES_PER_PASSAGE = 2
/** Each antenna sees the trailer for 8 s, with 4 s between them. Then nothing sees it until it comes back. */
const [SEEN_MS, GAP_MS] = [8_000, 4_000]
const PASSAGE_MS = 2 * SEEN_MS + GAP_MS
const READ_EVERY_MS = 1_000

/**
 * A gate with an antenna on each side. In every second minute a trailer passes, all of it within the minute. So the minute
 * keeps the side from which the trailer came, and its new side waits.
 */
export function createGate(plan: WarehousePlan, random: Random): Gate {
  const trailers = shuffled(
    random,
    plan.assets.filter(({ kind }) => kind === 'trailer'),
  )
  const sides = new Map<string, number>(
    trailers.map(({ key }, index) => [key, index % 2 === 0 ? INSIDE : OUTSIDE]),
  )
  const sideOf = ({ key }: PlannedAsset): number => sides.get(key) ?? INSIDE
  let passages = 0
  let passage: Passage | undefined
  let plannedMinute: number | undefined
  let readAtMs = -Infinity

  const planNext = (nowMs: number) => {
    const minute = Math.floor(nowMs / MINUTE_MS)
    const intoMinuteMs = nowMs - minute * MINUTE_MS
    const latestMs = MINUTE_MS - PASSAGE_MS - 2 * READ_EVERY_MS
    const isTooEarly = plannedMinute !== undefined && minute < plannedMinute + MINUTES_PER_PASSAGE
    const asset = trailers[passages % trailers.length]
    if (isTooEarly || intoMinuteMs > latestMs || !asset) return
    plannedMinute = minute
    passages += 1
    passage = { asset, from: sideOf(asset), startedAtMs: nowMs + random() * (latestMs - intoMinuteMs) }
  }
  const antennaAt = ({ from, startedAtMs }: Passage, nowMs: number): number | undefined => {
    const ms = nowMs - startedAtMs
    if (ms >= 0 && ms < SEEN_MS) return from
    return ms >= SEEN_MS + GAP_MS && ms < PASSAGE_MS ? INSIDE + OUTSIDE - from : undefined
  }
  return {
    advance(now) {
      const nowMs = now.getTime()
      planNext(nowMs)
      const antenna = passage && antennaAt(passage, nowMs)
      if (!passage || antenna === undefined || nowMs - readAtMs < READ_EVERY_MS) return new Map()
      readAtMs = nowMs
      sides.set(passage.asset.key, antenna)
      const sighting = {
        antenna,
        tag: tagOf(passage.asset),
        rssiDbm: -45 - random() * 15,
        readCount: 3,
        seenAt: now,
      }
      return new Map([[GATE_READER, [sighting]]])
    },
    sideOf,
  }
}
