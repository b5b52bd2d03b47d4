import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { LoadedQuery } from '../../../parts/load/combined-query.ts'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { api } from '../../../session/api.ts'
import { Timeline } from './timeline.ts'
import { AT_START, type Player, usePlayer } from './use-player.ts'

const HOUR_MS = 3_600_000

export const SPANS = [
  { value: '1h', label: 'Last hour', hours: 1 },
  { value: '8h', label: 'Last 8 hours', hours: 8 },
  { value: 'day', label: 'A day', hours: 24 },
] as const

const LIVE = { span: '', day: '', ...AT_START }

export type Playing = {
  span: string
  /** In the time zone of this device. */
  day: string
  /** Whether the picture is to be of the past, also before that is loaded. */
  isPast: boolean
  /** A day that has not begun cannot be loaded. */
  isFuture: boolean
  query: LoadedQuery<{ timeline: Timeline; isCut: boolean }>
  isCut: boolean
  /** Without a timeline while it loads, and live. */
  player: Player
  /** Another time, from its beginning. */
  show: (changed: { span?: string; day?: string }) => void
}

/** A time that is played back instead of the present. The address has it, so that a moment can be sent to somebody. */
export function usePlayback(): Playing {
  const [url, setUrl] = useUrlState(LIVE)
  const [openedAt] = useState(() => Date.now())
  const day = url.day || dayOf(new Date(openedAt))
  const window = windowOf(url.span, day, openedAt)
  const query = useQuery({
    queryKey: ['movements', 'playback', window?.from, window?.to],
    enabled: window !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const asked = window ?? { from: '', to: '' }
      const data = await api.get('/api/v1/movements/playback', { query: asked, signal })
      return { timeline: new Timeline(data), isCut: data.is_cut }
    },
  })
  const timeline = window && query.data?.timeline
  const player = usePlayer(timeline)
  const isPast = SPANS.some(({ value }) => value === url.span)
  return {
    span: url.span,
    day,
    isPast,
    isFuture: isPast && window === undefined,
    query,
    isCut: query.data?.isCut ?? false,
    player,
    show: (changed) => setUrl({ ...changed, ...AT_START, speed: url.speed }),
  }
}

/** `2026-11-25`, as inputs have it. */
function dayOf(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}

/** The hours before the screen was opened, or a day of this device; undefined: live. */
function windowOf(span: string, day: string, openedAt: number): { from: string; to: string } | undefined {
  const known = SPANS.find(({ value }) => value === span)
  if (!known) return undefined
  const begin = Date.parse(`${day}T00:00:00`)
  if (known.value === 'day' && Number.isNaN(begin)) return undefined
  const fromMs = known.value === 'day' ? begin : openedAt - known.hours * HOUR_MS
  const toMs = Math.min(openedAt, fromMs + known.hours * HOUR_MS)
  return fromMs < toMs
    ? { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
    : undefined
}
