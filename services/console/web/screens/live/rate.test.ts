import { expect, test } from 'vitest'
import { count, pointsOf, rateText, STEP_MS, STEPS } from './rate.ts'

const NOW = 1_800_000_000_000

test('counts movements by step, and the last minute', () => {
  const early = count(new Map(), 4, NOW - 120_000)
  const rate = count(count(early, 2, NOW), 1, NOW + 1)
  const points = pointsOf(rate, NOW)
  expect(points).toHaveLength(STEPS)
  expect(points.at(-1)).toEqual({ atMs: NOW, movements: 3 })
  expect(rateText(points)).toBe('3 in the last minute, 7 in the last 5 minutes')
})

test('drops steps that are older than the chart', () => {
  const rate = count(count(new Map(), 4, NOW - STEPS * STEP_MS), 1, NOW)
  expect([...rate.values()]).toEqual([1])
  expect(rateText(pointsOf(new Map([[0, 9]]), NOW))).toMatch(/^0 in the last minute, 0 /)
})
