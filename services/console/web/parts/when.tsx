import { Tooltip } from '@mantine/core'
import { useRef, useState, useSyncExternalStore } from 'react'
import { clockTime, dayTime, exactTime, relativeTime } from './times.ts'

type Props = { at: string; as?: 'relative' | 'day' | 'clock' }

/**
 * An instant in the viewer's time zone, with the exact value on hover and focus. The tooltip is created on demand,
 * because a table has a hundred of them.
 */
export function When({ at, as = 'relative' }: Props) {
  const now = useSyncExternalStore(everyTick, currentTick)
  const element = useRef<HTMLTimeElement>(null)
  const [isShown, setShown] = useState(false)
  const [show, hide] = [() => setShown(true), () => setShown(false)]
  const text = as === 'day' ? dayTime(at) : as === 'clock' ? clockTime(at) : relativeTime(at, now)
  // For mouse and keyboard users.
  const handlers = { tabIndex: 0, onMouseEnter: show, onMouseLeave: hide, onFocus: show, onBlur: hide }
  return (
    <>
      <time ref={element} dateTime={at} {...handlers}>
        {text}
      </time>
      {isShown && <Tooltip target={element} label={exactTime(at)} opened />}
    </>
  )
}

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
