import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import { publish } from '@whereabouts/messaging/messages/publish'
import { respond } from '@whereabouts/messaging/messages/request'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import { expect } from 'vitest'
import { KeyRates } from './key-rates.ts'

const JTI = '33333333-3333-4333-8333-333333333333'
const SUBJECT = `keys.key.${JTI}`

const state = (revision: number) => ({
  org_id: 7,
  id: 1,
  jti: JTI,
  revision,
  name: 'Dock',
  scopes: ['scans:write'],
  expires_at: null,
  revoked_at: null,
  rate_limit_per_minute: null,
  message_rate_per_second: 500,
})

test('an unreadable key state is counted, and keys is asked for it; meanwhile the rate of a key without one counts', async ({
  bus,
}) => {
  const rates = new KeyRates()
  const counts = { found: 0, remaining: 0 }
  const metrics = {
    found: () => void (counts.found += 1),
    remaining: (count: number) => void (counts.remaining = count),
  }
  await publish(bus.broker, { subject: SUBJECT, payload: state(1) })
  const follower = rates.states.follow(bus.broker, createLogger('tracking', 'silent'), metrics)
  await follower.caughtUp
  expect(rates.rateOf(7)).toMatchObject({ messagesPerSecond: 500 })
  await publish(bus.broker, { subject: SUBJECT, payload: Buffer.from('{"stream"') })
  await expect.poll(() => rates.rateOf(7)).toMatchObject({ messagesPerSecond: 200, keys: 1 })
  expect(counts).toEqual({ found: 1, remaining: 1 })
  const keys = respond(
    bus.broker,
    republishKeysState.subject,
    'keys',
    async () => {
      await publish(bus.broker, { subject: SUBJECT, payload: state(1) })
      return { published: true }
    },
    { logger: bus.logger },
  )
  await expect.poll(() => rates.rateOf(7), { timeout: 10_000 }).toMatchObject({ messagesPerSecond: 500 })
  expect(counts.remaining).toBe(0)
  await keys.stop()
  await follower.stop()
})
