import { expect, test } from 'vitest'
import { dropReason, MAX_ATTEMPTS, retryDelayMs } from './attempts.rules.ts'

test.for([
  { attempt: 2, random: 0, want: 800 },
  { attempt: 2, random: 0.5, want: 1_000 },
  { attempt: 2, random: 1, want: 1_200 },
  { attempt: 3, random: 0, want: 4_000 },
  { attempt: 3, random: 1, want: 6_000 },
])('D11.3 attempt $attempt waits $want ms if random returns $random', ({ attempt, random, want }) => {
  expect(retryDelayMs(attempt, () => random)).toBe(want)
})

test('D11.3 of three attempts, the second and the third have a wait; there is no other wait', () => {
  expect(MAX_ATTEMPTS).toBe(3)
  expect(() => retryDelayMs(1, Math.random)).toThrow(RangeError)
  expect(() => retryDelayMs(MAX_ATTEMPTS + 1, Math.random)).toThrow(RangeError)
})

const on = { id: 1, enabled: true, enabled_at: '2026-11-21T10:00:00.000Z' }
const at = (instant: string) => Date.parse(instant)
const noon = at('2026-11-21T12:00:00.000Z')

test.for([
  {
    name: 'webhook on, subscription active',
    target: on,
    status: 'active',
    receivedAt: noon,
    want: undefined,
  },
  { name: 'no webhook', target: undefined, status: 'active', receivedAt: noon, want: 'no_webhook' },
  {
    name: 'toggle off',
    target: { ...on, enabled: false },
    status: 'active',
    receivedAt: noon,
    want: 'disabled',
  },
  { name: 'lapsed', target: on, status: 'lapsed', receivedAt: noon, want: 'subscription_lapsed' },
  { name: 'unknown subscription', target: on, status: 'unknown', receivedAt: noon, want: 'unknown' },
  {
    name: 'unknown subscription, toggle off',
    target: { ...on, enabled: false },
    status: 'unknown',
    receivedAt: noon,
    want: 'disabled',
  },
  {
    name: 'an event from before deliveries were switched on',
    target: on,
    status: 'active',
    receivedAt: at('2026-11-21T09:59:57.000Z'),
    want: 'before_enabled',
  },
  {
    name: 'clocks that differ by a second',
    target: on,
    status: 'active',
    receivedAt: at('2026-11-21T09:59:59.000Z'),
    want: undefined,
  },
] as const)('$name: $want', ({ target, status, receivedAt, want }) => {
  expect(dropReason(target, status, { receivedAt })).toBe(want)
})

test('D13.13 a delivery that began with another webhook is dropped, and one that began with this is not', () => {
  expect(dropReason(on, 'active', { receivedAt: noon, webhookId: 2 })).toBe('webhook_replaced')
  expect(dropReason(on, 'active', { receivedAt: noon, webhookId: 1 })).toBeUndefined()
})
