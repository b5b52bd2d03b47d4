import type { Db } from '../../db.ts'
import { findPositions, firstNowhere, lastSeenBefore, type Between } from './ends.queries.ts'
import type { Places } from './places.ts'
import { begins, type Step } from './step.ts'
import { nextSteps } from './steps.queries.ts'

/** What is read from, and what counts as one place. */
export type Source = { db: Db; orgId: number; places: Places }

/** An unbroken stay. Instants are in microseconds since 1970; `end` is undefined while it lasts. */
export type Stay = {
  assetId: number
  place: number
  at: number
  end: number | undefined
  lastSeen: number
  /** Whether it ended because the asset was not seen. */
  isSilent: boolean
}

/** A stay whose end is looked for. `last` is the newest movement within it that was read. */
type Path = { start: Step; last: Step; next?: Step }

/** The most movements of an asset that are read at once. */
const MOST_STEPS = 1_000

/** The stays that begin with these movements. */
export async function staysFrom({ db, orgId, places }: Source, starts: readonly Step[]): Promise<Stay[]> {
  const paths = await followed({ db, orgId, places }, starts)
  const lasting = paths.filter(({ next }) => !next).map(({ start }) => start.assetId)
  const positions = await findPositions(db, orgId, [...new Set(lasting)])
  const isHere = ({ next, start }: Path) => !next && positions.get(start.assetId)?.locationId !== null
  const afterNowhere = paths.filter((path) => (path.next ? path.next.from === null : !isHere(path)))
  const nowhere = await firstNowhere(db, orgId, afterNowhere.map(between))
  const ends = new Map(afterNowhere.map((path, i) => [path, nowhere[i] ?? path.next]))
  for (const path of paths) if (path.next && path.next.from !== null) ends.set(path, path.next)
  const closed = paths.flatMap((path) => {
    const end = ends.get(path)
    return end ? [{ path, key: { ...between(path), before: end.minute } }] : []
  })
  const seen = await lastSeenBefore(
    db,
    orgId,
    closed.map(({ key }) => key),
  )
  const seenOf = new Map(closed.map(({ path }, i) => [path, seen[i]]))
  return paths.map((path) => {
    const { start, last } = path
    const end = ends.get(path)?.at
    const known = end === undefined ? positions.get(start.assetId)?.at : seenOf.get(path)
    const place = places.placeOf(start.to) ?? start.to
    const lastSeen = Math.max(known ?? last.at, last.at)
    return { assetId: start.assetId, place, at: start.at, end, lastSeen, isSilent: false }
  })
}

const between = ({ start, last, next }: Path): Between => ({
  assetId: start.assetId,
  after: last.minute,
  before: next?.minute,
})

/** Follows each asset until it leaves. Few do not leave with the next movement, so more movements are read each time. */
async function followed({ db, orgId, places }: Source, starts: readonly Step[]): Promise<Path[]> {
  const paths = starts.map((start): Path => ({ start, last: start }))
  let pending = paths
  for (let most = 1; pending.length > 0; most = Math.min(most * 4, MOST_STEPS)) {
    const found = await nextSteps(
      db,
      orgId,
      pending.map(({ last }) => last),
      { most, isBackwards: false, places },
    )
    pending = pending.filter((path, i) => {
      const place = places.placeOf(path.start.to)
      for (const step of found[i] ?? []) {
        if (step.from === null || places.placeOf(step.to) !== place) {
          path.next = step
          return false
        }
        path.last = step
      }
      return found[i]?.length === most
    })
  }
  return paths
}

/** Read for each stay on average, and in all. The begin of those with more between is not looked for. */
const MOST_BACK = 25
const MOST_BACK_IN_ALL = 50_000

/** The movements with which the stays began that these are in; undefined if too many movements are between. */
export async function startsOf(
  { db, orgId, places }: Source,
  steps: readonly Step[],
): Promise<Step[] | undefined> {
  const starts = [...steps]
  let pending = starts.flatMap((step, i) => (begins(step, places) ? [] : [i]))
  let read = 0
  for (let most = 1; pending.length > 0; most *= 4) {
    read += pending.length * most
    if (read > Math.min(MOST_BACK * steps.length, MOST_BACK_IN_ALL)) return undefined
    const keys = pending.flatMap((i) => starts[i] ?? [])
    const found = await nextSteps(db, orgId, keys, { most, isBackwards: true, places })
    pending = pending.filter((index, i) => {
      const before = found[i] ?? []
      const start = before.find((step) => begins(step, places))
      starts[index] = start ?? before.at(-1) ?? (starts[index] as Step)
      return !start && before.length === most
    })
  }
  return starts
}
