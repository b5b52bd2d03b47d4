import { useMemo, useSyncExternalStore } from 'react'
import { useTimeStyle } from './time-style.ts'
import { clockTime, dayTime, exactTime, relativeTime, zonedTime } from './times.ts'

type Props = { at: string; as?: 'relative' | 'day' | 'clock' }

/**
 * An instant in the viewer's time zone, with the exact value on hover. No tab stop: a table has a hundred of them. Who has no
 * pointer chooses exact times in the menu of the person, and they are text.
 */
export function When({ at, as = 'relative' }: Props) {
  const now = useNow()
  const exact = useMemo(() => exactTime(at), [at])
  const [style] = useTimeStyle()
  const text =
    style === 'exact'
      ? zonedTime(at)
      : as === 'day'
        ? dayTime(at)
        : as === 'clock'
          ? clockTime(at)
          : relativeTime(at, now)
  return (
    <time dateTime={at} title={exact}>
      {text}
    </time>
  )
}

/** The time of this device, every ten seconds. */
export const useNow = (): number => useSyncExternalStore(everyTick, currentTick)

const TICK_MS = 10_000
let tick = Date.now()

/** One timer for all instants on the page. */
function everyTick(onTick: () => void): () => void {
  const timer = setInterval(() => {
    tick = Date.now()
    onTick()
  }, TICK_MS)
  return () => clearInterval(timer)
}

function currentTick(): number {
  if (Date.now() - tick > TICK_MS) tick = Date.now()
  return tick
}
