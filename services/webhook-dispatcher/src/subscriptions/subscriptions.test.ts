import { expect, test } from 'vitest'
import { createSubscriptions, statusOf } from './subscriptions.ts'

const ENDS = '2026-11-21T10:00:00.000Z'
const END_MS = Date.parse(ENDS)
const state = (subscription_ends_at: string | null) => ({ org_id: 7, revision: 1, subscription_ends_at })

function told(subscription_ends_at: string | null) {
  const subscriptions = createSubscriptions()
  subscriptions.apply('keys.org.7', state(subscription_ends_at))
  return subscriptions.get('org', 7)
}

test('deliveries stop at the instant the subscription ends', () => {
  expect(statusOf(told(ENDS), END_MS - 1)).toBe('active')
  expect(statusOf(told(ENDS), END_MS)).toBe('lapsed')
  expect(statusOf(told(null), END_MS)).toBe('active')
})

test('an organization that keys does not know has lapsed; one without a state is unknown', () => {
  expect(statusOf(null, END_MS)).toBe('lapsed')
  expect(statusOf(undefined, END_MS)).toBe('unknown')
})

test('a malformed state cannot be read', () => {
  const subscriptions = createSubscriptions()
  for (const malformed of [state('soon'), { org_id: 7 }])
    expect(() => subscriptions.apply('keys.org.7', malformed)).toThrow()
  expect(subscriptions.get('org', 7)).toBeUndefined()
})
