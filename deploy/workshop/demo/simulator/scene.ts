import type { PlannedAsset } from '../stock.ts'
import { UNSEEN_ASSET, type WarehousePlan } from '../warehouse.ts'
import type { Sighting } from './device.ts'
import { shuffled, type Random } from './random.ts'
import { createRounds } from './rounds.ts'
import { createVisibility, type View } from './visibility.ts'
import { createWalk, isWalking } from './walk.ts'

/** Moves and reads in a step of time. Fractions accumulate. */
export type Advance = { now: Date; moves: number; reads: number }

export type Scene = {
  /** Advances the time. Returns the sightings by reader key. */
  advance(step: Advance): Map<string, Sighting[]>
  readonly moves: number
  readonly assetsSeen: number
}

/** About one unknown tag in this many reads. */
const READS_PER_UNKNOWN_TAG = 800
const MINUTE_MS = 60_000

/** The events in the warehouse, without clock and network. */
export function createScene(plan: WarehousePlan, random: Random): Scene {
  const assets = plan.assets.filter((asset) => asset.key !== UNSEEN_ASSET && isWalking(asset))
  const walk = createWalk(assets, random)
  const rounds = createRounds(shuffled(random, assets))
  const see = createVisibility(plan.readers, random)
  // Users look for vehicles first, so these are seen within a second.
  rounds.hurry(assets.filter(({ kind }) => kind === 'forklift'))
  const seenKeys = new Set<string>()
  const moved = new Set<PlannedAsset>()
  const [movesDue, readsDue] = [createAccumulator(), createAccumulator()]
  let minute: number | undefined
  let moves = 0

  const sight = (asset: PlannedAsset, now: Date): [string, Sighting][] => {
    const view = see(asset, walk.whereIs(asset))
    if (view) seenKeys.add(asset.key)
    return view ? [[view.readerKey, sightingOf(view, now, random)]] : []
  }
  return {
    advance({ now, moves: moreMoves, reads }) {
      for (let due = movesDue.take(moreMoves); due > 0; due -= 1) {
        moved.add(walk.step())
        moves += 1
      }
      // An asset has one place a minute, so moved assets are seen at the start of the next minute.
      const minuteNow = Math.floor(now.getTime() / MINUTE_MS)
      if (minuteNow !== minute) {
        rounds.hurry(moved)
        moved.clear()
        minute = minuteNow
      }
      const seen = rounds.next(readsDue.take(reads)).flatMap((asset) => sight(asset, now))
      const unknown = random() < reads / READS_PER_UNKNOWN_TAG ? [unknownTag(plan, now, random)] : []
      return groupByKey([...seen, ...unknown])
    },
    get moves() {
      return moves
    },
    get assetsSeen() {
      return seenKeys.size
    },
  }
}

/** Adds up fractions and returns whole numbers. */
function createAccumulator() {
  let due = 0
  return {
    take(more: number): number {
      due += more
      const whole = Math.floor(due)
      due -= whole
      return whole
    },
  }
}

/** Seen up to 150 ms ago, with a plausible signal strength. */
function sightingOf({ antenna, locationKey, tag }: View, now: Date, random: Random): Sighting {
  return {
    antenna,
    ...(locationKey !== undefined && { locationKey }),
    tag,
    rssiDbm: -38 - random() * 34,
    readCount: 1 + Math.floor(random() * 6),
    seenAt: new Date(now.getTime() - Math.floor(random() * 150)),
  }
}

/** A neighbour's pallet on a lorry at the gate. */
function unknownTag(plan: WarehousePlan, now: Date, random: Random): [string, Sighting] {
  const number = Math.floor(random() * 16)
  const tag = {
    type: 'rfid' as const,
    value: `30340242201B3C40000009${number.toString(16).toUpperCase().padStart(2, '0')}`,
  }
  const readerKey = plan.readers.find(({ model }) => model === 'impinj-r700')?.key ?? ''
  return [readerKey, sightingOf({ readerKey, antenna: 1, tag }, now, random)]
}

function groupByKey(entries: readonly [string, Sighting][]): Map<string, Sighting[]> {
  const groups = Map.groupBy(entries, ([key]) => key)
  return new Map([...groups].map(([key, group]) => [key, group.map(([, sighting]) => sighting)]))
}
