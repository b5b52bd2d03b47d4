import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import type { PlannedAsset } from '../stock.ts'
import { ROOM_GATEWAYS, type WarehousePlan } from '../warehouse.ts'
import type { Sighting } from './device.ts'
import type { Random } from './random.ts'

export type Rooms = {
  /** Advances the time. Returns the sightings by reader key. */
  advance(now: Date): Map<string, Sighting[]>
  /** The truth: the key of the gateway in the room where the asset is. */
  whereIs(asset: PlannedAsset): string
}

/** These carry their case to the other room now and then. */
const WALKERS = 2
const [SHORTEST_VISIT_MS, LONGEST_VISIT_MS] = [5 * 60_000, 15 * 60_000]
/** A gateway reports after 4 to 7 s, so either may be the first of a minute. */
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [4_000, 7_000]
/** Share of the adverts that collide or come while the gateway listens to another channel. */
const LOST = 0.4
/** Of a beacon in the same room. */
const [WEAKEST_DBM, STRONGEST_DBM] = [-74, -66]
/** How much weaker the wall and the distance make it next door. */
const [LEAST_WALL_DB, MOST_WALL_DB] = [10, 14]

/**
 * Two rooms side by side, with a gateway in each. Most beacons rest in one, and both gateways hear all of them. The first
 * read of a minute may come from either, so without rules for strengths they change their location.
 */
export function createRooms(plan: WarehousePlan, random: Random): Rooms {
  const between = (low: number, high: number) => low + random() * (high - low)
  const tools = plan.assets.filter(({ kind }) => kind === 'tool')
  const beacons = tools.map((asset, index) => ({
    asset,
    tag: tagOf(asset),
    room: index % ROOM_GATEWAYS.length,
    isWalker: index < WALKERS,
    dbm: between(WEAKEST_DBM, STRONGEST_DBM),
    wallDb: between(LEAST_WALL_DB, MOST_WALL_DB),
    leavesAtMs: 0,
  }))
  const reportsAtMs = ROOM_GATEWAYS.map(() => 0)

  const walkOn = (nowMs: number) => {
    for (const beacon of beacons.filter(({ isWalker, leavesAtMs }) => isWalker && leavesAtMs <= nowMs)) {
      if (beacon.leavesAtMs > 0) beacon.room = 1 - beacon.room
      beacon.leavesAtMs = nowMs + between(SHORTEST_VISIT_MS, LONGEST_VISIT_MS)
    }
  }
  const heardBy = (gateway: number, nowMs: number): Sighting[] =>
    beacons
      .filter(() => random() >= LOST)
      .map(({ tag, room, dbm, wallDb }) => ({
        antenna: 1,
        tag,
        rssiDbm: dbm - (room === gateway ? 0 : wallDb) + noiseDb(random),
        readCount: 1,
        seenAt: new Date(nowMs - Math.floor(random() * 1_000)),
      }))
      .toSorted((a, b) => a.seenAt.getTime() - b.seenAt.getTime())
  const report = (gateway: number, nowMs: number): Sighting[] => {
    if ((reportsAtMs[gateway] ?? 0) > nowMs) return []
    reportsAtMs[gateway] = nowMs + between(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS)
    return heardBy(gateway, nowMs)
  }
  return {
    advance(now) {
      walkOn(now.getTime())
      return new Map(ROOM_GATEWAYS.map((key, gateway) => [key, report(gateway, now.getTime())]))
    },
    whereIs(asset) {
      const beacon = beacons.find((candidate) => candidate.asset.key === asset.key)
      return ROOM_GATEWAYS[beacon?.room ?? -1] ?? ''
    },
  }
}

/** Of people, metal and the channel: a standard deviation of 4 dB, never over 14. */
const noiseDb = (random: Random) => (random() + random() + random() + random() - 2) * 7

/** As a decoder reads it. */
export function tagOf({ tags: [tag], key }: PlannedAsset): PlannedAsset['tags'][number] {
  if (!tag) throw new Error(`${key} has no tag`)
  return { type: tag.type, value: matchValue(tag.type, tag.value) }
}
