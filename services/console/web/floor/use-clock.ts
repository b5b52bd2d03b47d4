import { useEffect, useRef } from 'react'

/** The picture follows so often; between, dots glide. */
const TICK_MS = 100

type Clock = {
  isPlaying: boolean
  /** Seconds of the past per second. */
  speed: number
  onTick: (elapsedMs: number) => void
}

/** Calls back with the time that has passed on the clock of the playback. Nothing runs while the page is hidden. */
export function useClock({ isPlaying, speed, onTick }: Clock): void {
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
