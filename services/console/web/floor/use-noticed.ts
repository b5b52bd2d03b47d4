import { useMemo } from 'react'
import { longestHere } from './longest.ts'
import type { Floor } from './use-floor.ts'

export const NOT_SEEN_HOURS = 24

/** Assets to look at. `all` is both. */
export type Noticed = { notSeen: number; longest: number; all: ReadonlySet<number> }

export const NOTHING_NOTICED: Noticed = { notSeen: 0, longest: 0, all: new Set() }

/** Assets that nothing has seen for a day, and those that stayed longest, when the data was loaded. */
export const useNoticed = ({ stays, askedAt }: Floor): Noticed =>
  useMemo(() => {
    const oldest = askedAt - NOT_SEEN_HOURS * 3_600_000
    const notSeen = [...stays].filter(([, { seen }]) => Date.parse(seen) < oldest).map(([id]) => id)
    const longest = longestHere(stays, askedAt).map(({ id }) => id)
    return { notSeen: notSeen.length, longest: longest.length, all: new Set([...notSeen, ...longest]) }
  }, [stays, askedAt])
