import { describe, expect, test } from 'vitest'
import { bodyBudget } from './body-budget.ts'
import type { Holder } from './holder.ts'

test('one holder holds at most half of the budget, all together no more than the budget', () => {
  const budget = bodyBudget(100)
  const first = budget.take('203.0.113.1/32', 50)
  expect(first).toBeDefined()
  expect(budget.take('203.0.113.1/32', 1)).toBeUndefined()
  expect(budget.take(7, 50)).toBeDefined()
  expect(budget.take(8, 1)).toBeUndefined()
  first?.release()
  first?.release()
  expect(budget.take(7, 1)).toBeUndefined()
  expect(budget.take(8, 50)).toBeDefined()
  expect(budget.take('203.0.113.1/32', 1)).toBeUndefined()
})

test('a body that arrived smaller than reserved frees the difference', () => {
  const budget = bodyBudget(100)
  budget.take(7, 50)?.shrinkTo(10)
  expect(budget.take(7, 41)).toBeUndefined()
  expect(budget.take(7, 40)).toBeDefined()
})

test('the second holder gets a third, so that there is room for the next', () => {
  const budget = bodyBudget(120)
  const most = (holder: Holder) => {
    let held = 0
    while (budget.take(holder, 1)) held += 1
    return held
  }
  expect([1, 2, 3, 4].map(most)).toEqual([60, 30, 15, 7])
})

describe('a full budget', () => {
  /** A budget of 96 that `holders` fill with bodies of equal size, which are arriving. They end in order of their leads. */
  function filled(holders: number, leadOf: (holder: number) => number = () => 0) {
    const budget = bodyBudget(96)
    const ended: number[] = []
    for (let holder = 1; holder <= holders; holder += 1)
      budget.take(holder, 96 / holders, { lead: () => leadOf(holder), end: () => void ended.push(holder) })
    return { budget, ended }
  }

  test.for([2, 12])('of %i holders: a further one always gets a body, a hundred times', (holders) => {
    const { budget, ended } = filled(holders)
    for (let i = 0; i < 100; i += 1) {
      const body = budget.take(`further ${i}`, 4)
      expect(body).toBeDefined()
      body?.release()
      // The holder whose body ended comes back at once.
      const last = ended.at(-1) ?? 0
      budget.take(last, 96 / holders, { lead: () => 0, end: () => void ended.push(last) })
    }
    expect(ended.length).toBeGreaterThan(0)
  })

  test('ends the slowest body, and no more bodies than it must', () => {
    const { budget, ended } = filled(12, (holder) => Math.abs(holder - 7))
    expect(budget.take('further', 8)).toBeDefined()
    expect(ended).toEqual([7])
    expect(budget.take('further', 1)).toBeUndefined()
    expect(budget.take('another', 10)).toBeDefined()
    expect(ended).toEqual([7, 6, 8])
  })

  test('ends bodies of the holder with most first', () => {
    const budget = bodyBudget(96)
    const ended: string[] = []
    const take = (holder: string, bytes: number, lead: number) =>
      budget.take(holder, bytes, { lead: () => lead, end: () => void ended.push(`${holder} ${lead}`) })
    for (const lead of [3, 1, 2]) take('most', 16, lead)
    take('slow', 48, -5)
    expect(take('third', 48, 0)).toBeDefined()
    expect(ended).toEqual(['slow -5'])
    expect(take('fourth', 20, 0)).toBeDefined()
    expect(ended).toEqual(['slow -5', 'third 0'])
    expect(take('fourth', 9, 0)).toBeUndefined()
  })

  test('does not end a body that has arrived', () => {
    const budget = bodyBudget(100)
    const ended: number[] = []
    const arrived = budget.take(1, 100, { lead: () => 0, end: () => void ended.push(1) })
    arrived?.shrinkTo(100)
    expect(budget.take(2, 1)).toBeUndefined()
    expect(ended).toEqual([])
  })
})

test('at any moment the sum is within the budget, and a holder without a body gets one', () => {
  const budget = bodyBudget(1_000)
  const open: { holder: number; bytes: number; release: () => void }[] = []
  let state = 1
  const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
  for (let step = 0; step < 20_000; step += 1) {
    const [holder, bytes] = [random(30), 1 + random(60)]
    if (random(4) === 0) open.splice(random(open.length + 1), 1)[0]?.release()
    const mine = { holder, bytes, release: () => undefined as void }
    const lead = random(100)
    const end = () => void open.splice(open.indexOf(mine), 1)
    const taken = budget.take(holder, bytes, { lead: () => lead, end })
    if (taken) open.push(Object.assign(mine, { release: () => taken.release() }))
    expect(open.some((body) => body.holder === holder)).toBe(true)
    expect(open.reduce((sum, body) => sum + body.bytes, 0)).toBeLessThanOrEqual(1_000)
  }
})
