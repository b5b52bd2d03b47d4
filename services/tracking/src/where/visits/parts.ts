import { DAY_MS } from '../../positions/packed/day-rows.ts'
import type { Stretch } from '../../positions/packed/day-codec.ts'
import { findStretches, type Span } from './stretches.queries.ts'
import type { Source } from './stays.ts'

export const DAY_US = DAY_MS * 1_000
export const MINUTE_US = 60_000_000
const MINUTES_OF_DAY = 1_440

/** `read` counts rows, and the look-ups of assets. `minutes` is how long it could be. */
export type Part = Span & { stretches: Map<number, Stretch[]>; read: number; minutes: number }

/** The rows that a span is made short enough for, at first only an eighth of them: how many there are is not known before. */
const FIRST_SHARE = 8

/**
 * The newest part of history before `to`: at most as long as `minutes`, within a day of UTC. An asset has at most one row a
 * minute, so assets are read in groups of which none can have more than `mostRows`. If there are more rows in all, or more
 * stretches of packed days, the part gets shorter while it is read.
 */
export async function readPart(
  { db, orgId }: Source,
  { to, minutes, maxUs, mostRows }: { to: number; minutes: number; maxUs: number; mostRows: number },
  assetIds: readonly number[],
): Promise<Part> {
  const part: Part = { from: firstOf(to, minutes), to, stretches: new Map(), read: 0, minutes }
  let kept = 0
  for (let done = 0; done < assetIds.length;) {
    const length = (to - part.from) / MINUTE_US
    const most = done === 0 ? mostRows / FIRST_SHARE : mostRows
    const group = assetIds.slice(done, done + Math.max(1, Math.floor(most / length)))
    const found = await findStretches(db, orgId, { from: part.from, to, maxUs }, group)
    done += group.length
    part.read += group.length + found.rows + found.packedRows
    kept += found.rows
    for (const [assetId, stretches] of found.stretches) {
      part.stretches.set(assetId, since(part.from, stretches))
      if (found.packedRows > 0) kept += stretches.length
    }
    const expected = (kept / done) * assetIds.length
    if (done === assetIds.length || expected <= 2 * mostRows) continue
    const shorter = Math.max(1, Math.floor((length * mostRows) / expected))
    kept *= shorter / length
    part.minutes = shorter
    part.from = firstOf(to, shorter)
    for (const [assetId, stretches] of part.stretches)
      part.stretches.set(assetId, since(part.from, stretches))
  }
  return part
}

/** The part of the day after `from` for these assets, which are few. */
export async function readForward(
  { db, orgId }: Source,
  { from, maxUs, mostRows }: { from: number; maxUs: number; mostRows: number },
  assetIds: readonly number[],
): Promise<Omit<Part, 'minutes'>> {
  const length = Math.max(1, Math.floor(mostRows / assetIds.length)) * MINUTE_US
  const to = Math.min(from + length, (Math.floor(from / DAY_US) + 1) * DAY_US)
  const { stretches, rows, packedRows } = await findStretches(db, orgId, { from, to, maxUs }, assetIds)
  return { from, to, stretches, read: assetIds.length + rows + packedRows }
}

const firstOf = (to: number, minutes: number) =>
  Math.max(to - Math.min(minutes, MINUTES_OF_DAY) * MINUTE_US, Math.floor((to - 1) / DAY_US) * DAY_US)

/** Those that reach an instant, and the one before them. */
function since(from: number, stretches: Stretch[]): Stretch[] {
  const first = stretches.findIndex(({ last }) => last >= from)
  return stretches.slice(first === -1 ? -1 : Math.max(0, first - 1))
}
