import { ANTENNAS, ASSETS, PLACES, type Choice, type ChosenRead } from './choices.ts'

/** What a row must say, without a database. Locations, tags and scan points are numbered; null means none. */
export type Row = { at: number; place: number | null } & (
  | { by: 'save' }
  | { by: 'location_key'; key: string; tag: number }
  | { by: 'scan_point'; point: number; tag: number }
)

export type World = {
  /** By asset, then by minute. */
  rows: Map<number, Row>[]
  /** The current key of each location. */
  keys: string[]
  /** By antenna, from 1: the number of its scan point, which is new after a replacement, and its location. */
  points: Map<number, { point: number; place: number | null }>
  /** By antenna: what it stood for from an instant on, the oldest first. */
  past: Map<number, { from: number; point: number; place: number | null }[]>
  /** When a scan point was changed last. */
  changedAt: number
  /** How many scan points there have been. */
  made: number
}

const FIRST = Array.from({ length: ANTENNAS }, (_, i) => ({ point: i, place: i === 0 ? null : i }))

export const newWorld = (): World => ({
  rows: Array.from({ length: ASSETS }, () => new Map()),
  keys: Array.from({ length: PLACES }, (_, place) => `PLACE-${place}`),
  points: new Map(FIRST.map((first, i) => [i + 1, first])),
  past: new Map(FIRST.map((first, i) => [i + 1, [{ from: -Infinity, ...first }]])),
  changedAt: 0,
  made: ANTENNAS,
})

export const UNKNOWN_KEY = 'NOWHERE'
const minuteOf = (at: number) => Math.floor(at / 60_000)

export function apply(world: World, choice: Choice): void {
  switch (choice.do) {
    case 'read':
      return observe(world, choice.messages.flat())
    case 'save':
      return save(world, choice)
    case 'rename':
      world.keys[choice.place] += '-X'
      return
    case 'assign':
    case 'replace': {
      const point = choice.do === 'assign' ? (world.points.get(choice.antenna)?.point ?? 0) : world.made++
      world.points.set(choice.antenna, { point, place: choice.place })
      world.changedAt += choice.after
      world.past.get(choice.antenna)?.push({ from: world.changedAt, point, place: choice.place })
    }
  }
}

/** One batch. A minute records its first location, otherwise its first read; a row with a location stays. */
function observe(world: World, reads: readonly ChosenRead[]): void {
  const batch = reads.flatMap((read) => rowOf(world, read) ?? [])
  const ofMinute = Map.groupBy(batch, ({ asset, row }) => `${asset} ${minuteOf(row.at)}`)
  for (const inMinute of ofMinute.values()) {
    const chosen = inMinute.find(({ row }) => row.place !== null) ?? inMinute[0]
    const rows = chosen && world.rows[chosen.asset]
    if (!rows) continue
    const there = rows.get(minuteOf(chosen.row.at))
    if (!there || (there.place === null && chosen.row.place !== null))
      rows.set(minuteOf(chosen.row.at), chosen.row)
  }
}

/** Undefined if the read is not a scan: a key without a location, or an unassigned antenna. */
function rowOf(
  world: World,
  { asset, tag, antenna, names, at }: ChosenRead,
): { asset: number; row: Row } | undefined {
  if (names !== null) {
    const key = world.keys[names]
    return key === undefined ? undefined : { asset, row: { at, place: names, by: 'location_key', key, tag } }
  }
  const scanPoint = pointAt(world, antenna, at)
  return (
    scanPoint && { asset, row: { at, place: scanPoint.place, by: 'scan_point', point: scanPoint.point, tag } }
  )
}

/** What an antenna stood for at an instant. Before it had a location it stood for the first one. */
function pointAt(world: World, antenna: number, at: number) {
  const past = world.past.get(antenna) ?? []
  const first = past.find(({ place }) => place !== null) ?? past[0]
  return past.findLast(({ from }) => from <= at && from >= (first?.from ?? 0)) ?? first
}

function save(world: World, { assets, place, at }: Extract<Choice, { do: 'save' }>): void {
  for (const asset of assets) {
    const rows = world.rows[asset]
    const newest = Math.max(...[...(rows?.values() ?? [])].map((row) => row.at), -Infinity)
    const counted = Math.max(at, newest + 1)
    rows?.set(minuteOf(counted), { at: counted, place, by: 'save' })
  }
}
