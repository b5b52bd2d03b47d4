import { eventually } from '@whereabouts/testing/eventually'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { expect } from 'vitest'
import { test } from '../test/keys.fixture.ts'
import { disconnectMetrics, loginMetrics, startGauges } from './metrics.ts'
import { disconnectRevoked } from './brokers/disconnects/disconnects.loop.ts'

const log = createLogger('keys', 'silent')

test('gauges of subscriptions, the signing key and pending disconnects', async ({ keys }) => {
  const { db } = keys.database
  const orgs = await Promise.all([keys.signUp(), keys.signUp(), keys.signUp(), keys.signUp()])
  const ends = [
    null,
    '2020-01-01T00:00:00Z',
    new Date(Date.now() + 86_400_000).toISOString(),
    '2999-01-01T00:00:00Z',
  ]
  for (const [i, { orgId }] of orgs.entries())
    await db
      .updateTable('org')
      .set({ subscription_ends_at: ends[i] ?? null })
      .where('id', '=', orgId)
      .execute()
  await keys.signingKeys.active()
  await keys.database.pool.query(
    `insert into pending_disconnect (jti, created_at) values (gen_random_uuid(), now() - interval '90 seconds')`,
  )
  const registry = createRegistry('keys')
  const gauges = startGauges({
    db,
    registry,
    log,
    signingKeyDays: 30,
    readerAccounts: () => 1_000,
    certificates: async () => [
      { server: 'nats-0', expiresAtMs: 1_900_000_000_500 },
      { server: 'nats-1', expiresAtMs: 1_950_000_000_500 },
    ],
  })
  const value = async (metric: string, subscription?: string) =>
    (await registry.getSingleMetric(metric)?.get())?.values.find(
      ({ labels }) => labels['subscription'] === subscription,
    )?.value
  await eventually(async () => expect(await value('signing_key_age_seconds')).toBeGreaterThanOrEqual(0))
  await gauges.stop()
  expect(await value('organizations', 'lapsed')).toBe(1)
  expect(await value('organizations', 'ends_within_14_days')).toBe(1)
  expect(await value('organizations', 'ends_later')).toBe(1)
  expect(await value('organizations', 'open_ended')).toBeGreaterThanOrEqual(1)
  expect(await value('signing_key_rotation_seconds')).toBe(30 * 86_400)
  expect(await value('revocation_oldest_pending_seconds')).toBeGreaterThan(89)
  expect([await value('reader_accounts'), await value('reader_accounts_used')]).toEqual([1_000, 0])
  expect(await registry.metrics()).toContain(
    'broker_certificate_expiry_timestamp_seconds{service="keys"} 1900000000.5',
  )
})

test('the first round of a disconnect is measured, the second is not', async ({ keys }) => {
  const { db, pool } = keys.database
  await db.deleteFrom('pending_disconnect').execute()
  await pool.query(
    `insert into pending_disconnect (jti, created_at) values (gen_random_uuid(), now() - interval '200 milliseconds')`,
  )
  const delays: number[] = []
  const turn = () =>
    disconnectRevoked({ db, log, disconnect: async () => 1, onDisconnect: (seconds) => delays.push(seconds) })
  await turn()
  expect(delays).toEqual([expect.closeTo(0.2, 0)])
  await pool.query(
    `update pending_disconnect set created_at = created_at - interval '5 seconds', next_at = now()`,
  )
  await turn()
  expect(delays).toHaveLength(1)
})

test('an unknown client type does not add a label value', async () => {
  const registry = createRegistry('keys')
  const onLogin = loginMetrics(registry)
  onLogin('mqtt', 'granted', 0.02)
  for (let n = 0; n < 50; n += 1) onLogin(`type-${n}`, 'refused', 0.02)
  disconnectMetrics(registry)(0.3)
  const text = await registry.metrics()
  expect(text).toContain('broker_logins_total{client_type="mqtt",outcome="granted",service="keys"} 1')
  expect(text).toContain('broker_logins_total{client_type="unknown",outcome="refused",service="keys"} 50')
  expect(text).toContain('broker_login_duration_seconds_count{service="keys",outcome="refused"} 50')
  expect(text).toContain('revocation_disconnect_delay_seconds_bucket{le="0.5",service="keys"} 1')
})
