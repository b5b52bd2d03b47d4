import type { Spot } from './spots.ts'

export const GLIDE_MS = 600

/** A dot under way. */
export type Glide = { from: Spot; startedAt: number }

/** Slow at both ends. */
const eased = (t: number) => (t < 0.5 ? 2 * t * t : 1 - (2 - 2 * t) ** 2 / 2)

/** Where a dot is at a time of `performance.now()`. */
export function spotAt(to: Spot, glide: Glide | undefined, now: number): Spot {
  if (!glide) return to
  const t = eased(Math.min(1, Math.max(0, (now - glide.startedAt) / GLIDE_MS)))
  return { x: glide.from.x + (to.x - glide.from.x) * t, y: glide.from.y + (to.y - glide.from.y) * t }
}

export const isOver = ({ startedAt }: Glide, now: number): boolean => now - startedAt >= GLIDE_MS
