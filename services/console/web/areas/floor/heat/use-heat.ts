import { useMemo } from 'react'
import type { LoadedQuery } from '../../../parts/load/combined-query.ts'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { fullness, type Heat, heatOf, MODES, type PaintRoom, type Uses } from './heat.ts'
import { type Building, roomsOf, type Room } from '../rooms.ts'
import type { Timeline } from '../playback/timeline.ts'
import { RANGES, useLocationUses } from '../use-location-uses.ts'

const NONE: Uses = new Map()

/** The strength of rooms by what they held in their last seven days. Until that is loaded, none. */
export function useFullness(): PaintRoom {
  const { data } = useLocationUses('7d')
  return useMemo(() => fullness(data?.uses ?? NONE), [data])
}

export type HeatShown = {
  mode: (typeof MODES)[number]['value']
  range: (typeof RANGES)[number]['value']
  /** A time that is played back replaces the range. */
  isPlayback: boolean
  /** Undefined while it loads, and while rooms show assets. */
  heat: Heat | undefined
  paint: PaintRoom
  query: LoadedQuery<{ uses: Uses; isCut: boolean }>
  change: (changed: { mode?: string; range?: string }) => void
}

/** What rooms show, and in which time. The address has both. */
export function useHeat(
  building: Building,
  focus: Room | undefined,
  timeline: Timeline | undefined,
): HeatShown {
  const [url, change] = useUrlState({ mode: 'assets', range: '24h' })
  const mode = MODES.find(({ value }) => value === url.mode)?.value ?? 'assets'
  const range = RANGES.find(({ value }) => value === url.range)?.value ?? '24h'
  const played = timeline && { fromMs: timeline.fromMs, toMs: timeline.toMs }
  const query = useLocationUses(played ?? range, mode !== 'assets')
  const full = useFullness()
  const uses = query.data?.uses
  const heat = useMemo(
    () => (mode === 'assets' || !uses ? undefined : heatOf(mode, uses, roomsOf(building, focus))),
    [mode, uses, building, focus],
  )
  const paint = heat?.paint ?? full
  return { mode, range, isPlayback: timeline !== undefined, heat, paint, query, change }
}
