import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { GRID } from './zone-edits.ts'

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

type Drag<T> = {
  /** Pixels of a unit of the plan. */
  scale: number
  /** The thing as it is now. */
  now: () => T
  /** Moves it from where it was at the start, by units. `grid`: what to snap to. */
  move: (from: T, dx: number, dy: number, grid: number) => void
}

/** Handlers that move a thing by pointer or by arrow keys, along the grid; with Shift in steps of a tenth. */
export function useDrag<T>({ scale, now, move }: Drag<T>) {
  const start = useRef<{ x: number; y: number; from: T }>(undefined)
  const gridOf = ({ shiftKey }: { shiftKey: boolean }) => (shiftKey ? GRID / 10 : GRID)
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      event.currentTarget.setPointerCapture(event.pointerId)
      event.currentTarget.focus() // not every browser does it
      start.current = { x: event.clientX, y: event.clientY, from: now() }
    },
    onPointerMove(event: PointerEvent) {
      if (!start.current) return
      const { x, y, from } = start.current
      move(from, (event.clientX - x) / scale, (event.clientY - y) / scale, gridOf(event))
    },
    onPointerUp() {
      start.current = undefined
    },
    onKeyDown(event: KeyboardEvent) {
      const arrow = ARROWS[event.key]
      if (!arrow) return
      event.preventDefault()
      const grid = gridOf(event)
      move(now(), arrow[0] * grid, arrow[1] * grid, grid)
    },
  }
}
