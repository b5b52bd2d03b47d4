import { expect, test } from 'vitest'
import { Subscriptions } from './subscriptions.ts'

const state = (revision: number, subscription_ends_at: string | null) => ({
  org_id: 7,
  revision,
  name: 'Org',
  subscription_ends_at,
})
const ENDS = '2026-11-21T10:00:00.000Z'

test('deliveries stop at the instant the subscription ends', () => {
  const subscriptions = new Subscriptions()
  subscriptions.apply(state(1, ENDS))
  expect(subscriptions.isActive(7, Date.parse(ENDS) - 1)).toBe(true)
  expect(subscriptions.isActive(7, Date.parse(ENDS))).toBe(false)
})

test('a state that arrives late or twice changes nothing', () => {
  const subscriptions = new Subscriptions()
  subscriptions.apply(state(2, null))
  subscriptions.apply(state(1, ENDS))
  subscriptions.apply(state(2, ENDS))
  expect(subscriptions.isActive(7, Date.parse(ENDS))).toBe(true)
})

test("one organization's lapse is not another's, and one not heard of is not silenced", () => {
  const subscriptions = new Subscriptions()
  subscriptions.apply(state(1, ENDS))
  expect(subscriptions.isActive(8, Date.parse(ENDS))).toBe(true)
})

test('a malformed state throws and leaves the known one', () => {
  const subscriptions = new Subscriptions()
  subscriptions.apply(state(1, ENDS))
  expect(() => subscriptions.apply(state(2, 'soon'))).toThrow()
  expect(() => subscriptions.apply({ org_id: 7 })).toThrow()
  expect(subscriptions.isActive(7, Date.parse(ENDS))).toBe(false)
})
