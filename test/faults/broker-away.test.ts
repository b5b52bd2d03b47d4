import { exchangeKey } from '@whereabouts/client/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  clientFromNewAddress,
  newAsset,
  newLocation,
  newOrganization,
  newReader,
  newWebhook,
  reportRows,
  type Organization,
} from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { startSystem, type System } from '../system/system.ts'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

/** Longer than two failed probes of Kubernetes, and than a connection needs to notice that its peer is gone. */
const AWAY_MS = 30_000
const SETTLED = { timeout: 60_000, interval: 1_000 } // the key's bucket refills by one request a second

/** A service that is not ready is taken out of service by Kubernetes. */
async function readiness(): Promise<Record<string, number>> {
  const asked = Object.entries(system.stack.urls.ops).map(async ([name, url]) => {
    const reply = await fetch(`${url}/readyz`)
    await reply.body?.cancel()
    return [name, reply.status] as const
  })
  return Object.fromEntries(await Promise.all(asked))
}

/** One request of each kind, by what it does. */
function requests(org: Organization, n: number) {
  const { integrator, admin } = org
  const anyone = clientFromNewAddress(system.stack)
  const { base } = system.stack.urls
  return {
    'a page of the console': () => fetch(base, { headers: { 'user-agent': 'Mozilla/5.0' } }),
    'a new token': () => exchangeKey(anyone, org.integratorKey).then(() => ({ response: { status: 200 } })),
    'a sign-up': () => newOrganization(system.stack, `while away ${n}`).then(() => ({ response: { status: 201 } })),
    'a list of assets': () => integrator.GET('/api/v1/assets'),
    'a new asset': () => integrator.POST('/api/v1/assets', { body: { name: 'Late', external_key: `LATE-${n}`, tags: [{ tag_type: 'barcode', value: `LATE-${n}` }] } }),
    'a new location': () => integrator.POST('/api/v1/locations', { body: { name: 'Late', external_key: `LATE-${n}` } }),
    'a report': () => integrator.GET('/api/v1/reports/asset-locations'),
    'keys': () => admin.GET('/api/v1/orgs/{org_id}/api-keys', { params: { path: { org_id: org.id } } }),
    'readers': () => admin.GET('/api/v1/readers'),
    'webhooks': () => admin.GET('/api/v1/webhooks'),
  } as const // oxfmt-ignore
}

/** The status of each kind of request. */
async function statuses(org: Organization, n: number): Promise<Record<string, number>> {
  const answers: Record<string, number> = {}
  for (const [kind, send] of Object.entries(requests(org, n))) {
    const answer = await send()
    answers[kind] = 'response' in answer ? answer.response.status : answer.status
  }
  return answers
}

test(
  'without the broker every service stays ready and every kind of request is answered',
  { timeout: 180_000 },
  async () => {
    const { stack, receiver } = system
    const org = await newOrganization(stack, 'away')
    const dock = await newLocation(org, 'Dock', 'DOCK')
    await newReader(org, { key: 'gate', format: 'canonical', locationId: dock, antennas: 1 })
    await newWebhook(org, receiver.url)
    await newAsset(org, 'Before', [{ tag_type: 'barcode', value: 'BEFORE' }])
    const before = { readiness: await readiness(), statuses: await statuses(org, 0) }
    expect(Object.values(before.readiness)).toEqual([200, 200, 200, 200, 200, 200])
    expect(Object.entries(before.statuses).filter(([, status]) => status >= 300)).toEqual([])

    await stack.broker.stop('SIGKILL')
    const until = Date.now() + AWAY_MS
    let rounds = 0
    await vi.waitUntil(
      async () => {
        rounds += 1
        expect(await readiness()).toEqual(before.readiness)
        expect(await statuses(org, rounds)).toEqual(before.statuses)
        return Date.now() > until
      },
      { timeout: 2 * AWAY_MS, interval: 2_000 },
    )
    expect(rounds).toBeGreaterThan(2)

    await stack.broker.restart()
    const reader = await vi.waitFor(() => connectReader(stack, org.readerKey, 'nats'), SETTLED)
    const reads = [{ tag: { type: 'barcode', value: 'LATE-1' } }]
    await reader.publish(org.id, 'gate', 'canonical', Buffer.from(JSON.stringify({ reads })))
    await vi.waitUntil(
      async () => (await reportRows(org)).some((row) => row.asset_external_key === 'LATE-1'),
      SETTLED,
    )
    await vi.waitUntil(
      () => receiver.received.some(({ body }) => body.toString().includes('"LATE-1"')),
      SETTLED,
    )
    await reader.close()
  },
)
