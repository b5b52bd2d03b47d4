import type { Page } from 'playwright-core'
import { quantile } from '../load/figures.ts'

/** Of the frames of a page, in milliseconds. */
export type Frames = { perSecond: number; p50: number; p95: number; p99: number; longest: number }

/** Measures how long each frame of the page takes, for `seconds`. */
export async function framesOf(page: Page, seconds: number): Promise<Frames> {
  const times = await page.evaluate<number[]>(`new Promise((resolve) => {
    const times = []
    const end = performance.now() + ${seconds * 1000}
    let before = performance.now()
    const step = (now) => {
      times.push(now - before)
      before = now
      if (now < end) requestAnimationFrame(step)
      else resolve(times)
    }
    requestAnimationFrame(step)
  })`)
  const frames = times.slice(1)
  return {
    perSecond: frames.length / (frames.reduce((sum, ms) => sum + ms, 0) / 1000),
    p50: quantile(frames, 0.5),
    p95: quantile(frames, 0.95),
    p99: quantile(frames, 0.99),
    longest: Math.max(...frames),
  }
}

/** The slope of the line that fits the samples best: `value` for each unit of `at`. */
export function slopeOf(samples: readonly { at: number; value: number }[]): number {
  const mean = (of: (sample: { at: number; value: number }) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const [at, value] = [mean((sample) => sample.at), mean((sample) => sample.value)]
  const spread = mean((sample) => (sample.at - at) ** 2)
  return mean((sample) => (sample.at - at) * (sample.value - value)) / spread
}
