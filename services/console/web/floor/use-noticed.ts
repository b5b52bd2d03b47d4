import { useMemo } from 'react'
import type { Floor } from './use-floor.ts'

export const NOT_SEEN_HOURS = 24

/** Assets that nothing has seen for a day when the data was loaded. */
export const useNoticed = ({ stays, askedAt }: Floor): ReadonlySet<number> =>
  useMemo(() => {
    const oldest = askedAt - NOT_SEEN_HOURS * 3_600_000
    return new Set([...stays].filter(([, { seen }]) => Date.parse(seen) < oldest).map(([id]) => id))
  }, [stays, askedAt])
