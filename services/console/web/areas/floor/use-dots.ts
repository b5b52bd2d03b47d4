import { type RefObject, useEffect, useRef } from 'react'
import { type Glide, isOver, spotAt } from './glide.ts'
import type { SizedSpot, Spot } from './spots.ts'

export type Dot = SizedSpot & {
  /** A variable of the style sheet, as the colors of light and dark differ. */
  color: string
  /** Something to look at. */
  hasRing: boolean
}

type Picture = {
  dots: ReadonlyMap<number, Dot>
  width: number
  height: number
  /** Light or dark. */
  scheme: string
  /** Dots glide within one layout. In another, they stand where they are at once. */
  layout: unknown
}

/** From the edge of a dot to the ring around it, in pixels. */
const TO_RING = 3

const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches

/**
 * Draws the dots. A dot whose spot changed glides there. Frames are drawn only while something moves, and none while the
 * page is hidden. Returns where each dot is now, for the pointer.
 */
export function useDots(
  canvas: RefObject<HTMLCanvasElement | null>,
  picture: Picture,
): (id: number) => Spot | undefined {
  const glides = useRef(new Map<number, Glide>())
  const drawn = useRef<Picture>(undefined)
  const frame = useRef(0)

  useEffect(() => {
    const before = drawn.current
    const now = performance.now()
    drawn.current = picture
    if (before?.layout !== picture.layout || isStill()) glides.current.clear()
    else
      for (const [id, dot] of picture.dots) {
        const old = before?.dots.get(id)
        if (!old || (old.x === dot.x && old.y === dot.y)) continue
        glides.current.set(id, { from: spotAt(old, glides.current.get(id), now), startedAt: now })
      }
    const step = () => {
      const at = performance.now()
      for (const [id, glide] of glides.current) if (isOver(glide, at)) glides.current.delete(id)
      if (canvas.current) draw(canvas.current, picture, glides.current, at)
      frame.current = glides.current.size > 0 ? requestAnimationFrame(step) : 0
    }
    cancelAnimationFrame(frame.current)
    frame.current = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame.current)
  }, [canvas, picture])

  return (id) => {
    const dot = drawn.current?.dots.get(id)
    return dot && spotAt(dot, glides.current.get(id), performance.now())
  }
}

function draw(
  canvas: HTMLCanvasElement,
  picture: Picture,
  glides: ReadonlyMap<number, Glide>,
  now: number,
): void {
  const { dots, width, height } = picture
  const ratio = devicePixelRatio
  const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== columns || canvas.height !== rows) {
    canvas.width = columns
    canvas.height = rows
  }
  const paint = canvas.getContext('2d')
  if (!paint) return
  paint.setTransform(ratio, 0, 0, ratio, 0, 0)
  paint.clearRect(0, 0, width, height)
  // One path for each color: thousands of dots are drawn many times a second.
  const [discs, rings] = [new Map<string, Path2D>(), new Path2D()]
  for (const [id, dot] of dots) {
    const { x, y } = spotAt(dot, glides.get(id), now)
    const disc = discs.get(dot.color) ?? new Path2D()
    discs.set(dot.color, disc)
    addCircle(disc, x, y, dot.radius)
    if (dot.hasRing) addCircle(rings, x, y, dot.radius + TO_RING)
  }
  const style = getComputedStyle(canvas)
  for (const [color, disc] of discs) {
    paint.fillStyle = style.getPropertyValue(color)
    paint.fill(disc)
  }
  paint.strokeStyle = style.getPropertyValue('--asset-noticed')
  paint.lineWidth = 1.5
  paint.stroke(rings)
}

function addCircle(path: Path2D, x: number, y: number, radius: number): void {
  path.moveTo(x + radius, y)
  path.arc(x, y, radius, 0, 2 * Math.PI)
}
