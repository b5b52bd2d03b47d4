import { expect, test } from 'vitest'
import { kinds, ruleOf } from './kinds.ts'
import { describeFault, planOf } from './plan.ts'
import { LINKS } from './targets.ts'

const options = { seed: 7, minutes: 60, everyMs: 8_000 }

test('the same seed gives the same plan, another seed another one', () => {
  expect(planOf(options)).toEqual(planOf(options))
  expect(planOf({ ...options, seed: 8 })).not.toEqual(planOf(options))
})

test('a longer plan begins with the shorter one', () => {
  const shorter = planOf({ ...options, minutes: 5 })
  expect(planOf(options).slice(0, shorter.length)).toEqual(shorter)
})

test('three hours have more than a thousand faults, of every kind and on every connection', () => {
  const faults = planOf({ ...options, minutes: 180 })
  expect(faults.length).toBeGreaterThan(1_000)
  expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(kinds))
  const hit = new Set(faults.map(({ target }) => target))
  expect(LINKS.filter((link) => !hit.has(link))).toEqual([])
})

test('faults of one target do not overlap, and every value is within its bounds', () => {
  const ended = new Map<string, number>()
  for (const { kind, target, atMs, durationMs, amount } of planOf(options)) {
    expect(atMs).toBeGreaterThanOrEqual(ended.get(target) ?? 0)
    ended.set(target, atMs + durationMs)
    const { ms, amount: [least, most] = [0, 0], targets } = ruleOf(kind)
    expect(targets).toContain(target)
    expect(durationMs).toBeGreaterThanOrEqual(ms[0])
    expect(durationMs).toBeLessThanOrEqual(ms[1])
    expect(Math.abs(amount)).toBeGreaterThanOrEqual(least)
    expect(Math.abs(amount)).toBeLessThanOrEqual(most)
  }
})

test('a fault is described with its number, time, target and extent', () => {
  const fault = {
    index: 3,
    atMs: 83_400,
    kind: 'clock',
    target: 'keys-1',
    durationMs: 4_200,
    amount: -900,
  } as const
  expect(describeFault(fault)).toBe('#3 at 83.4 s: clock keys-1 for 4.2 s, shifted by -900 ms')
})
