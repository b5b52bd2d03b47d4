import { useEffect, useMemo, useRef, useState } from 'react'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import type { Places } from '../places.ts'
import type { Timeline } from './timeline.ts'

export const SPEEDS = [1, 10, 60, 600] as const

/** As in the address. */
export const AT_START = { at: '', speed: '60', playing: '' }

export type Player = {
  timeline: Timeline | undefined
  /** The instant that is shown, in milliseconds. */
  at: number
  places: Places | undefined
  speed: number
  isPlaying: boolean
  isAtEnd: boolean
  change: (changed: Partial<typeof AT_START>) => void
  seek: (ms: number) => void
  /** To the next movement. */
  step: () => void
}

/** Plays a timeline. The address has the instant, so that a moment can be sent to somebody. */
export function usePlayer(timeline: Timeline | undefined): Player {
  const [url, setUrl] = useUrlState(AT_START)
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
  return {
    timeline,
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
