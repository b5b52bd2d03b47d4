import { expect, test } from 'vitest'
import { KeyRates } from './key-rates.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

function state(n: number, changes: Record<string, unknown> = {}) {
  const jti = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const key = { org_id: 7, id: n, jti, revision: 1, name: 'Dock', scopes: ['scans:write'], expires_at: null }
  return { ...key, revoked_at: null, rate_limit_per_minute: null, message_rate_per_second: null, ...changes }
}
function told(...states: ReturnType<typeof state>[]): KeyRates {
  const rates = new KeyRates()
  for (const one of states) rates.states.apply(`keys.key.${one.jti}`, one)
  return rates
}

const ONE_KEY = { messagesPerSecond: 200, bytesPerSecond: 200 * 32_768, readsPerSecond: 5_000, keys: 0 }

test('the keys of an organization add up, including those with their own rate', () => {
  expect(told(state(1)).rateOf(7, NOW)).toMatchObject({ messagesPerSecond: 200, keys: 1 })
  const three = told(state(1), state(2, { message_rate_per_second: 50 }), state(3, { org_id: 8 }))
  expect(three.rateOf(7, NOW)).toMatchObject({ messagesPerSecond: 250, keys: 2 })
})

test('a state of an older release, without a rate, counts as the default', () => {
  const { message_rate_per_second: _, ...older } = state(1)
  const rates = new KeyRates()
  rates.states.apply(`keys.key.${older.jti}`, older)
  expect(rates.rateOf(7, NOW)).toMatchObject({ messagesPerSecond: 200, keys: 1 })
})

test('keys that cannot send scans do not count: revoked, expired, without the scope', () => {
  const rates = told(
    state(1),
    state(2, { revoked_at: '2026-11-20T00:00:00Z' }),
    state(3, { expires_at: '2026-11-21T12:00:05Z' }),
    state(4, { scopes: ['scans:read'] }),
  )
  expect(rates.rateOf(7, NOW)).toMatchObject({ messagesPerSecond: 400, keys: 2 })
  expect(rates.rateOf(7, NOW + 6_000)).toMatchObject({ messagesPerSecond: 200, keys: 1 })
})

test('an organization without known keys has the rate of one key', () => {
  expect(told().rateOf(7, NOW)).toEqual(ONE_KEY)
  const revoked = told(state(1, { revoked_at: '2026-11-20T00:00:00Z' }))
  expect(revoked.rateOf(7, NOW)).toMatchObject({ messagesPerSecond: 200, keys: 0 })
})

test('a re-created stream starts empty', () => {
  const rates = told(state(1, { message_rate_per_second: 10 }))
  rates.states.clear()
  expect(rates.rateOf(7, NOW)).toEqual(ONE_KEY)
})
