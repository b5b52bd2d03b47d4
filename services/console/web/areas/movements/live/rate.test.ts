import { describe, expect, test } from 'vitest'
import { add, emptyText, pointsOf, rateFrom, rateOf, rateText, STEP_MS, STEPS } from './rate.ts'

const NOW = 1_800_000_000_000
const iso = (ms: number) => new Date(ms).toISOString()
/** The clock of this device is 20 s behind. */
const DEVICE = NOW - 20_000
const past = {
  from: iso(NOW - (STEPS - 1) * STEP_MS),
  to: iso(NOW),
  last_event_id: '40-e',
  steps: [
    { at: iso(NOW - 120_000), moves: 4 },
    { at: iso(NOW), moves: 2 },
  ],
}
const textOf = (rate: ReturnType<typeof rateOf>, deviceMs: number) => rateText(rate, pointsOf(rate, deviceMs))

describe('the rate of movements', () => {
  test('starts with the past, and counts what arrived after it once', () => {
    const arrivals = [
      { id: '39-e', atMs: DEVICE },
      { id: '40-e', atMs: DEVICE },
      { id: '41-e', atMs: DEVICE },
    ]
    const rate = rateOf(past, arrivals, DEVICE)
    const points = pointsOf(rate, DEVICE)
    expect(points).toHaveLength(STEPS)
    expect(points.at(-1)).toEqual({ atMs: NOW, movements: 3 })
    expect(textOf(rate, DEVICE)).toBe('3 in the last minute, 7 in the last 5 minutes')
    const later = add(rate, [{ id: '42-e', atMs: DEVICE + 70_000 }])
    expect(textOf(later, DEVICE + 70_000)).toBe('1 in the last minute, 8 in the last 5 minutes')
  })

  test('counts events of another epoch, because the stream was created again', () => {
    expect(textOf(rateOf(past, [{ id: '1-f', atMs: DEVICE }], DEVICE), DEVICE)).toMatch(/^3 in/)
  })

  test('says since when it counts, until that is longer ago than the chart', () => {
    const rate = rateFrom(NOW, [{ id: '1-e', atMs: NOW + 1 }])
    expect(textOf(rate, NOW + 1)).toBe(`1 since ${new Date(NOW).toLocaleTimeString()}`)
    expect(emptyText(rate)).toBe(`No movements since ${new Date(NOW).toLocaleTimeString()}`)
    expect(emptyText(rateOf(past, [], DEVICE))).toBe('Nothing moved in the last 5 minutes')
    expect(textOf(rate, NOW + 90_000)).toMatch(/^0 in the last minute, 1 since /)
    expect(textOf(rate, NOW + STEPS * STEP_MS)).toBe('0 in the last minute, 0 in the last 5 minutes')
  })

  test('drops steps that are older than the chart', () => {
    const rate = add(rateFrom(NOW, [{ id: '1-e', atMs: NOW }]), [{ id: '2-e', atMs: NOW + STEPS * STEP_MS }])
    expect([...rate.counts.values()]).toEqual([1])
  })
})
