import { useMemo } from 'react'
import { longestHere } from './longest.ts'
import type { Floor } from './use-floor.ts'

export const NOT_SEEN_HOURS = 24

/** Assets to look at. `all` is both. */
export type Noticed = {
  notSeen: ReadonlySet<number>
  longest: ReadonlySet<number>
  all: ReadonlySet<number>
}

export const NOTHING_NOTICED: Noticed = { notSeen: new Set(), longest: new Set(), all: new Set() }

/**
 * Assets that nothing has seen for a day, and those that stayed longest, when the data was read. None where the floor has
 * only the assets that were seen last.
 */
export const useNoticed = (floor: Floor): Noticed =>
  useMemo(() => {
    const { stays, readAt } = floor
    if (hasFewer(floor)) return NOTHING_NOTICED
    const oldest = readAt - NOT_SEEN_HOURS * 3_600_000
    const notSeen = new Set([...stays].filter(([, { seen }]) => Date.parse(seen) < oldest).map(([id]) => id))
    const longest = new Set(longestHere(stays, readAt).map(({ id }) => id))
    return { notSeen, longest, all: notSeen.union(longest) }
  }, [floor])

/** Whether there are more assets than the picture has dots for. */
export const hasFewer = ({ assets, totalAssets }: Pick<Floor, 'assets' | 'totalAssets'>): boolean =>
  assets.size < totalAssets
