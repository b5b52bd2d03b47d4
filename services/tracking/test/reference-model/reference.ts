/** The rules of the contract for reads and saves, without a database: the expected results of the tests. */

import type { PlacementRules } from '../../src/positions/rules.ts'
import { Memory } from './memory.ts'

/** Locations and assets are numbered from 0. Null means no location. */
export type Row = { at: number; place: number | null; by: 'reader' | 'operator' }

type Event = {
  asset: number
  minute: number
  kind: 'scan' | 'save'
  at: number
  from: number | null
  /** As the receiver gets it: null for a location that is known to be deleted. */
  shownFrom: number | null
  to: number
}

/** Deletions that a replica knows. */
type Known = { assets: number[]; places: number[] }

export type World = {
  /** By asset, then by minute. */
  history: Map<number, Row>[]
  events: Event[]
  /** By asset: what was read beyond the rows. */
  memories: Memory[]
  deleted: Known
  /** By replica. Only ingest uses them; a save asks catalog. */
  heard: Known[]
}

export type Read = {
  asset: number
  place: number | null
  at: number
  rssi: number | null
  isJudged: boolean
}
export type Save = { assets: number[]; place: number; at: number }

export const newWorld = (assets: number, replicas: number, rules: PlacementRules): World => ({
  memories: Array.from({ length: assets }, () => new Memory(rules)),
  history: Array.from({ length: assets }, () => new Map()),
  events: [],
  deleted: { assets: [], places: [] },
  heard: Array.from({ length: replicas }, () => ({ assets: [], places: [] })),
})

const minuteOf = (at: number) => Math.floor(at / 60_000)

/** The reads of one transaction, in the order of arrival. */
export function observe(world: World, replica: number, reads: readonly Read[]): void {
  const known = world.heard[replica] ?? { assets: [], places: [] }
  // A deleted place does not count: its scan point counts as unassigned (D18.5).
  const counted = reads.filter(
    ({ asset, place }) => !known.assets.includes(asset) && !(place !== null && known.places.includes(place)),
  )
  for (const asset of new Set(counted.map((read) => read.asset))) {
    const rows = new Map(world.history[asset])
    for (const read of counted)
      if (read.asset === asset)
        world.memories[asset]?.take(rows, read, (place) => known.places.includes(place))
    const changed = [...rows].filter(([minute, row]) => world.history[asset]?.get(minute) !== row)
    for (const [minute, row] of changed.toSorted(([a], [b]) => a - b))
      put(world, known, { asset, minute, kind: 'scan', row })
  }
}

/** What waits becomes the first observation of the next minute, if a setting says so. */
export function carry(world: World, replica: number): void {
  const known = world.heard[replica] ?? { assets: [], places: [] }
  for (const [asset, memory] of world.memories.entries()) {
    const rows = world.history[asset] ?? new Map<number, Row>()
    const waiting = memory.carries(rows)
    if (!waiting) continue
    const row: Row = { at: waiting.minute * 60_000, place: waiting.place, by: 'reader' }
    put(world, known, { asset, minute: waiting.minute, kind: 'scan', row })
  }
}

/** False if an asset or the location is deleted: then nothing is saved. */
export function save(world: World, replica: number, { assets, place, at }: Save): boolean {
  if (world.deleted.places.includes(place) || assets.some((asset) => world.deleted.assets.includes(asset)))
    return false
  const known = world.heard[replica] ?? { assets: [], places: [] }
  for (const asset of new Set(assets)) {
    const newest = newestOf(world, asset)
    const counted = newest ? Math.max(at, newest.row.at + 1) : at
    const row: Row = { at: counted, place, by: 'operator' }
    put(world, known, { asset, minute: minuteOf(counted), kind: 'save', row })
    world.memories[asset]?.save(counted, place)
  }
  return true
}

type Put = { asset: number; minute: number; kind: Event['kind']; row: Row }

/** Writes a row, and an event if the row is the newest and at another location than the newest before it. */
function put(world: World, known: Known, { asset, minute, kind, row }: Put): void {
  const before = newestOf(world, asset)
  world.history[asset]?.set(minute, row)
  const { at, place: to } = row
  if (before && before.minute > minute) return
  const from = before?.row.place ?? null
  if (to === null || to === from) return
  if (known.places.includes(to) || known.assets.includes(asset)) return
  const shownFrom = from !== null && known.places.includes(from) ? null : from
  world.events.push({ asset, minute, kind, at, from, shownFrom, to })
}

function newestOf(world: World, asset: number): { minute: number; row: Row } | undefined {
  const rows = world.history[asset] ?? new Map<number, Row>()
  const minute = Math.max(...rows.keys())
  const row = rows.get(minute)
  return row && { minute, row }
}

export type Position = { at: number; place: number | null; since: number | null }

/** The location of the asset, and since when: the first of the last rows of its history that have one location. */
export function positionOf(world: World, asset: number): Position | undefined {
  const rows = [...(world.history[asset] ?? [])].toSorted(([a], [b]) => b - a).map(([, row]) => row)
  const newest = rows[0]
  if (!newest) return undefined
  const elsewhere = rows.findIndex(({ place }) => place !== newest.place)
  const stay = elsewhere === -1 ? rows : rows.slice(0, elsewhere)
  const since = newest.place === null ? null : (stay.at(-1)?.at ?? null)
  return { at: newest.at, place: newest.place, since }
}
