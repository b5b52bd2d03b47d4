import type { components } from '@whereabouts/client/client'
import type { Room } from '../rooms.ts'

type LocationUse = components['schemas']['LocationUse']
/** What each location had in a time, by its id. */
export type Uses = ReadonlyMap<number, LocationUse>

/** What rooms show. */
export const MODES = [
  { value: 'assets', label: 'Assets' },
  { value: 'dwell', label: 'Dwell' },
  { value: 'movements', label: 'Movements' },
] as const
export type HeatMode = Exclude<(typeof MODES)[number]['value'], 'assets'>

/** How a room is drawn. `fill`: how strong, from 0 to 1. `text`: shown instead of the number of assets, and `said` follows it. */
type Paint = { fill: number; text?: string; said?: string }
export type PaintRoom = (room: Room, total: number) => Paint

const sumOf = (room: Room, of: (id: number) => number): number =>
  room.children.reduce((sum, child) => sum + sumOf(child, of), of(room.id))

/**
 * Assets of now out of the most that were there at the same time. Of a room with sub-locations: out of the sum of what
 * each of them had at most, so it is full when all of them are as full as they ever were.
 */
export const fullness =
  (uses: Uses): PaintRoom =>
  (room, total) => {
    const most = sumOf(room, (id) => uses.get(id)?.most_assets ?? 0)
    return { fill: total === 0 ? 0 : total / Math.max(total, most) }
  }

/** Each step is twice the one before, so that one busy room does not make all others look idle. */
const STEPS = 5

export type Heat = {
  paint: PaintRoom
  /** The least and the most of the rooms of the picture. */
  least: string
  most: string
  /** Up to where each step goes, from the weakest. Empty: nothing happened. */
  steps: readonly { upTo: string; fill: number }[]
}

/** Rooms by their dwell or arrivals, with everything below them, relative to the other rooms of the picture. */
export function heatOf(mode: HeatMode, uses: Uses, rooms: readonly Room[]): Heat {
  const { of, text, said } = UNITS[mode]
  const valueOf = (room: Room) => sumOf(room, (id) => of(uses.get(id)))
  const values = inPicture(rooms).map(valueOf)
  const most = Math.max(0, ...values)
  const tops = Array.from({ length: STEPS }, (_, i) => most / 2 ** (STEPS - 1 - i))
  const fillOf = (value: number) => (value === 0 ? 0 : (tops.findIndex((top) => value <= top) + 1) / STEPS)
  return {
    paint(room) {
      const value = valueOf(room)
      return { fill: fillOf(value), text: text(value), said: said(value) }
    },
    least: text(values.length > 0 ? Math.min(...values) : 0),
    most: text(most),
    steps: most === 0 ? [] : tops.map((top) => ({ upTo: text(top), fill: fillOf(top) })),
  }
}

const MOST_LEVELS = 2

/** Rooms that are drawn if there is space: two levels, a lone room apart, as `layoutOf` has them. */
const inPicture = (rooms: readonly Room[], above = 0): readonly Room[] => {
  const level = rooms.length === 1 ? above : above + 1
  return level >= MOST_LEVELS ? rooms : rooms.flatMap((room) => [room, ...inPicture(room.children, level)])
}

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const tenth = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const number = (value: number) => (value < 10 ? tenth : whole).format(value)

const UNITS: Record<
  HeatMode,
  {
    of: (use: LocationUse | undefined) => number
    text: (value: number) => string
    said: (value: number) => string
  }
> = {
  dwell: {
    of: (use) => (use?.dwell_seconds ?? 0) / 3600,
    text: (value) => `${number(value)} h`,
    said: () => 'of dwell',
  },
  movements: {
    of: (use) => use?.arrivals ?? 0,
    text: number,
    said: (value) => (value === 1 ? 'arrival' : 'arrivals'),
  },
}
