/** A floor of rooms with a gateway each, and beacons that rest or walk. The truth is known. */

/** Rooms are squares of 8 m in two rows, a gateway in the middle of each. */
const ROOM_METERS = 8
const ROOMS = 4
/** Free space has 2; furniture and people add some. */
const PATH_LOSS = 2.2
const WALL_DB = 5
const AT_ONE_METER_DBM = -59
const SENSITIVITY_DBM = -94
const REPORT_SECONDS = 10
const LOST = 0.15

export type Stay = { fromSecond: number; room: number; x: number; y: number }
type RoomRead = { second: number; room: number; rssi: number }
export type Beacon = { stays: Stay[]; reads: RoomRead[] }

type Random = () => number

/** The same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Of a normal distribution (Box and Muller). */
const normal = (random: Random, deviation: number) =>
  deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

const between = (random: Random, low: number, high: number) => low + random() * (high - low)
const below = (random: Random, n: number) => Math.floor(random() * n)

function spotIn(random: Random, room: number, fromSecond: number): Stay {
  const [column, row] = [room % 2, Math.floor(room / 2)]
  const inRoom = () => between(random, 0.5, ROOM_METERS - 0.5)
  return { fromSecond, room, x: inRoom() + ROOM_METERS * column, y: inRoom() + ROOM_METERS * row }
}

/** Stays of 4 to 20 minutes in rooms chosen at random, the same again included. */
export function walk(random: Random, seconds: number): Stay[] {
  const stays: Stay[] = []
  for (let at = 0; at < seconds; at += between(random, 4, 20) * 60)
    stays.push(spotIn(random, below(random, ROOMS), at))
  return stays
}

/** Through these rooms, one after the other. */
export const route = (random: Random, rooms: readonly number[], secondsEach: number): Stay[] =>
  rooms.map((room, i) => spotIn(random, room, i * secondsEach))

export const rest = (random: Random): Stay[] => [spotIn(random, below(random, ROOMS), 0)]

export const stayAt = (stays: readonly Stay[], second: number): Stay | undefined =>
  stays.findLast(({ fromSecond }) => fromSecond <= second)

/** What the gateways hear of a beacon. `noiseDb`: standard deviation of a single read. */
export function listen(random: Random, stays: readonly Stay[], seconds: number, noiseDb: number): Beacon {
  const bias = Array.from({ length: ROOMS }, () => normal(random, 2))
  let drift = bias.map(() => 0)
  const reads: RoomRead[] = []
  for (let second = 0; second < seconds; second += REPORT_SECONDS) {
    const stay = stayAt(stays, second)
    drift = drift.map((value) => 0.8 * value + normal(random, 1.5))
    for (let gateway = 0; gateway < ROOMS && stay; gateway += 1) {
      const rssi =
        strength(stay, gateway) + (bias[gateway] ?? 0) + (drift[gateway] ?? 0) + normal(random, noiseDb)
      const isHeard = rssi > SENSITIVITY_DBM && random() >= LOST
      if (isHeard)
        reads.push({ second: second + between(random, 0, 0.9 * REPORT_SECONDS), room: gateway, rssi })
    }
  }
  return { stays: [...stays], reads: reads.toSorted((a, b) => a.second - b.second) }
}

function strength({ x, y, room }: Stay, gateway: number): number {
  const center = ROOM_METERS / 2
  const [column, row] = [gateway % 2, Math.floor(gateway / 2)]
  const meters = Math.hypot(x - center - ROOM_METERS * column, y - center - ROOM_METERS * row)
  const walls = Math.abs((room % 2) - column) + Math.abs(Math.floor(room / 2) - row)
  return AT_ONE_METER_DBM - 10 * PATH_LOSS * Math.log10(Math.max(0.5, meters)) - WALL_DB * walls
}
