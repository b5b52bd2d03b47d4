import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { clockTime, dayTime, exactTime, relativeTime } from './times.ts'

type Props = { at: string; as?: 'relative' | 'day' | 'clock' }

/** An instant in the viewer's zone; the exact one on hover and on focus. */
export function When({ at, as = 'relative' }: Props) {
  const now = useSyncExternalStore(everyTick, currentTick)
  const text = as === 'day' ? dayTime(at) : as === 'clock' ? clockTime(at) : relativeTime(at, now)
  return (
    <Tooltip label={exactTime(at)} events={{ hover: true, focus: true, touch: true }}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the exact instant has to be reachable */}
      <time dateTime={at} tabIndex={0}>
        {text}
      </time>
    </Tooltip>
  )
}

const TICK_MS = 10_000
let tick = Date.now()

/** One clock for all that is shown. */
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
