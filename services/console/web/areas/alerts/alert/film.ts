import type { components } from '@whereabouts/client/client'
import { type Building, pathTo, type Room } from '../../floor/rooms.ts'

type Schemas = components['schemas']
type Playback = Schemas['Playback']
type Span = { fromMs: number; toMs: number }
/** A place as the history has it; its name is null once it is deleted. */
type Place = { id: number; name: string | null }
type Move = { occurred_at: string; from_location: Place | null; to_location: Place }

const MINUTE_MS = 60_000
const BEFORE_MS = 30 * MINUTE_MS
const AFTER_MS = 5 * MINUTE_MS
const LONGEST_MS = 7 * 24 * 60 * MINUTE_MS

/**
 * The time of the film: from half an hour before the alert was raised until it was over, or now. `isCut`: it was open for
 * longer than a week, and the film has the first one.
 */
export function filmSpan(
  { raised_at, resolved_at }: { raised_at: string; resolved_at: string | null },
  now: number,
): Span & { isCut: boolean } {
  const fromMs = Date.parse(raised_at) - BEFORE_MS
  const endMs = resolved_at === null ? now : Math.min(now, Date.parse(resolved_at) + AFTER_MS)
  const toMs = Math.max(Date.parse(raised_at), Math.min(endMs, fromMs + LONGEST_MS))
  return { fromMs, toMs, isCut: toMs < endMs }
}

/** One asset in a time, and the names of its places by id. Undefined where nothing is known of it in that time. */
export type Film = { playback: Playback; names: ReadonlyMap<number, string | null> }

/** `start`: where it was when the time began, null if that is not known. `moves`: newest first, as the API lists them. */
export function filmOf(
  id: number,
  { fromMs, toMs }: Span,
  start: Place | null,
  moves: readonly Move[],
): Film | undefined {
  const oldestFirst = moves.toReversed()
  const first = oldestFirst[0]?.from_location ?? start
  const places = [...(first ? [first] : []), ...oldestFirst.map(({ to_location: to }) => to)]
  if (places.length === 0) return undefined
  const names = new Map(places.map((place) => [place.id, place.name]))
  const locations = [...names.keys()]
  const fromS = Math.floor(fromMs / 1000)
  const seconds = oldestFirst.map(({ occurred_at: at }) => Math.floor(Date.parse(at) / 1000) - fromS)
  const playback: Playback = {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    assets: [id],
    types: ['asset'],
    locations,
    start: first ? { asset: [0], location: [locations.indexOf(first.id)] } : { asset: [], location: [] },
    moves: {
      seconds: seconds.map((second, i) => second - (seconds[i - 1] ?? 0)),
      asset: oldestFirst.map(() => 0),
      location: oldestFirst.map(({ to_location: to }) => locations.indexOf(to.id)),
    },
    is_cut: false,
  }
  return { playback, names }
}

/** The smallest room with sub-locations that has all of these places that the floor knows; undefined: everything. */
export function sharedRoom({ rooms }: Building, ids: Iterable<number>): Room | undefined {
  const [first, ...others] = [...ids].flatMap((id) => {
    const room = rooms.get(id)
    return room ? [pathTo(room)] : []
  })
  return first?.findLast((room) => room.children.length > 0 && others.every((path) => path.includes(room)))
}
