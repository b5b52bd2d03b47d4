import { useQuery } from '@tanstack/react-query'
import { useMemo, useState, useEffect, useRef } from 'react'
import type { LoadedQuery } from '../../../parts/load/combined-query.ts'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { api } from '../../../session/api.ts'
import type { Places } from '../places.ts'
import { Timeline } from './timeline.ts'

const HOUR_MS = 3_600_000

export const SPANS = [
  { value: '1h', label: 'Last hour', hours: 1 },
  { value: '8h', label: 'Last 8 hours', hours: 8 },
  { value: 'day', label: 'A day', hours: 24 },
] as const
export const SPEEDS = [1, 10, 60, 600] as const

const LIVE = { span: '', day: '', at: '', speed: '60', playing: '' }

export type Playing = {
  span: string
  /** In the time zone of this device. */
  day: string
  /** Whether the picture is to be of the past, also before that is loaded. */
  isPast: boolean
  /** A day that has not begun cannot be loaded. */
  isFuture: boolean
  /** Undefined while it loads, and live. */
  timeline: Timeline | undefined
  query: LoadedQuery<{ timeline: Timeline; isCut: boolean }>
  isCut: boolean
  /** The instant that is shown, in milliseconds. */
  at: number
  places: Places | undefined
  speed: number
  isPlaying: boolean
  isAtEnd: boolean
  change: (changed: Partial<typeof LIVE>) => void
  seek: (ms: number) => void
  /** To the next movement. */
  step: () => void
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
  const [playedTo, setPlayedTo] = useState<{ url: string; ms: number }>()
  const begin = timeline?.fromMs ?? 0
  const end = timeline?.toMs ?? 0
  const given = Date.parse(url.at)
  const asked = Number.isNaN(given) ? begin : given
  const at = Math.min(end, Math.max(begin, playedTo?.url === url.at ? playedTo.ms : asked))
  const isAtEnd = timeline !== undefined && at >= end
  const isPlaying = url.playing === 'yes' && timeline !== undefined && !isAtEnd
  const speed = SPEEDS.find((known) => String(known) === url.speed) ?? 60
  const seek = (ms: number) => setUrl({ at: new Date(ms).toISOString() })
  useClock({ isPlaying, speed, onTick: (elapsed) => setPlayedTo({ url: url.at, ms: at + elapsed }) })
  const second = Math.floor(at / 1000) * 1000
  const isPast = SPANS.some(({ value }) => value === url.span)
  return {
    span: url.span,
    day,
    isPast,
    isFuture: isPast && window === undefined,
    timeline,
    query,
    isCut: query.data?.isCut ?? false,
    at,
    places: useMemo(() => timeline?.placesAt(second), [timeline, second]),
    speed,
    isPlaying,
    isAtEnd,
    change: (changed) => {
      // A pause keeps the moment in the address.
      const isPause = changed.playing === '' && changed.at === undefined
      setUrl(isPause ? { ...changed, at: new Date(at).toISOString() } : changed)
    },
    seek,
    step: () => {
      const next = timeline?.nextAfter(at)
      if (next !== undefined) setUrl({ at: new Date(next).toISOString(), playing: '' })
    },
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

/** The picture follows so often; between, dots glide. */
const TICK_MS = 100

type Clock = {
  isPlaying: boolean
  /** Seconds of the past per second. */
  speed: number
  onTick: (elapsedMs: number) => void
}

/** Calls back with the time that has passed on the clock of the playback. Nothing runs while the page is hidden. */
function useClock({ isPlaying, speed, onTick }: Clock): void {
  const latest = useRef(onTick)
  useEffect(() => {
    latest.current = onTick
  })
  useEffect(() => {
    if (!isPlaying) return undefined
    let before = performance.now()
    const timer = setInterval(() => {
      const now = performance.now()
      const isHidden = document.visibilityState === 'hidden'
      if (!isHidden) latest.current((now - before) * speed)
      before = now
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [isPlaying, speed])
}
