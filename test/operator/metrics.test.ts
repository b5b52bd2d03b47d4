import type { Metric } from '@whereabouts/deploy/monitoring/metric'
import { defaultMetrics, metrics } from '@whereabouts/deploy/monitoring/metrics'
import type { ServiceName } from '@whereabouts/deploy/local/services'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fixtureBytes, fixturesOf, tagsOf } from '../system/fixtures.ts'
import {
  mintKey,
  newAsset,
  newLocation,
  newOrganization,
  newReader,
  newWebhook,
  type Organization,
} from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { scrape, type Scrape } from '../system/scrape.ts'
import { startSystem, type System } from '../system/system.ts'

let system: System
let org: Organization
let scraped: Record<ServiceName, Scrape>

const USER_AGENT = 'metrics-test/1'
const CSV = 'external_key,name\nIMPORTED-1,First\nIMPORTED-2,Second\n'

/** A request that the typed client would refuse to make. */
const call = (method: string, path: string, init: { token?: string; type?: string; body?: string } = {}) =>
  fetch(`${system.stack.urls.base}${path}`, {
    method,
    headers: {
      'user-agent': USER_AGENT,
      ...(init.token !== undefined && { authorization: `Bearer ${init.token}` }),
      ...(init.type !== undefined && { 'content-type': init.type }),
    },
    ...(init.body !== undefined && { body: init.body }),
  })

/** Scans of a reader whose assets are known, then one of another format than its topic says. */
async function scan(): Promise<void> {
  const locationId = await newLocation(org, 'Dock', 'DOCK-1')
  await newReader(org, { key: 'gate-1', format: 'canonical', locationId, antennas: 8 })
  await newWebhook(org, system.receiver.url)
  for (const tag of tagsOf('canonical')) await newAsset(org, 'Pallet', [tag])
  const reader = await connectReader(system.stack, org.readerKey, 'mqtt')
  for (const { file } of fixturesOf('canonical'))
    await reader.publish(org.id, 'gate-1', 'canonical', fixtureBytes(file))
  await reader.publish(org.id, 'gate-1', 'canonical', Buffer.from('no JSON'))
  await reader.close()
}

async function logInWrongly(): Promise<void> {
  const wrong = { ...org.readerKey, clientSecret: 'guessed' }
  await expect(connectReader(system.stack, wrong, 'nats')).rejects.toThrow()
}

async function session(): Promise<string> {
  const body = JSON.stringify({
    org_name: 'CSV',
    name: 'Eve',
    email: 'eve@example.com',
    password: 'correct horse battery',
  })
  const res = await call('POST', '/api/v1/auth/signup', { type: 'application/json', body })
  return ((await res.json()) as { data: { access_token: string } }).data.access_token
}

async function importFile(): Promise<void> {
  const res = await call('POST', '/api/v1/imports?resource=assets', {
    token: await session(),
    type: 'text/csv',
    body: CSV,
  })
  expect(await res.text()).toContain('"state"')
}

async function revokeAKey(): Promise<void> {
  await mintKey(org.admin, org.id, 'short-lived', ['assets:read'])
  const path = { org_id: org.id }
  const { data } = await org.admin.GET('/api/v1/orgs/{org_id}/api-keys', { params: { path, query: {} } })
  const key = data?.data.find(({ name }) => name === 'short-lived')
  await org.admin.DELETE('/api/v1/orgs/{org_id}/api-keys/{key_id}', {
    params: { path: { ...path, key_id: String(key?.id) } },
  })
}

const SERVICES = ['gateway', 'keys', 'catalog', 'tracking', 'webhook-dispatcher', 'console'] as const

async function scrapeAll(): Promise<typeof scraped> {
  const all = await Promise.all(SERVICES.map((name) => scrape(system.stack.urls.ops[name])))
  return Object.fromEntries(SERVICES.map((name, i) => [name, all[i]])) as typeof scraped
}

beforeAll(async () => {
  system = await startSystem()
  org = await newOrganization(system.stack, 'Measured')
  await scan()
  await Promise.all([logInWrongly(), importFile(), revokeAKey(), call('GET', '/api/v1/assets')])
  // Everything has happened, and the looks in the background have seen it.
  await vi.waitFor(
    async () => {
      scraped = await scrapeAll()
      const { 'webhook-dispatcher': webhooks, catalog, tracking, gateway, keys } = scraped
      expect(webhooks.sum('webhook_deliveries_total', { outcome: 'delivered' })).toBeGreaterThan(0)
      expect(catalog.sum('imports', { state: 'done' })).toBe(1)
      expect(tracking.sum('readers', { kind: 'configured', state: 'online' })).toBe(1)
      expect(tracking.sum('consumer_buried_total', { reason: 'poison' })).toBeGreaterThan(0)
      expect(webhooks.sum('webhooks', { state: 'enabled' })).toBe(1)
      expect(gateway.sum('gateway_revocation_delay_seconds_count')).toBe(1)
      expect(keys.sum('organizations', { subscription: 'open_ended' })).toBe(2)
    },
    { timeout: 90_000, interval: 1_000 },
  )
}, 180_000)
afterAll(() => system.stop())

test.for(SERVICES)('what %s exposes is what docs/monitoring.md lists: names, types and labels', (service) => {
  const listed = metrics.filter(({ services }) => services.includes(service))
  const exposed = scraped[service].families.filter(({ name }) => !/^(process|nodejs)_/.test(name))
  expect(exposed.map(({ name, type }) => `${name} ${type}`).toSorted()).toEqual(
    listed.map(({ name, type }) => `${name} ${type}`).toSorted(),
  )
  const wrong = listed.flatMap((metric) => unlisted(metric, scraped[service].labelsOf(metric.name)))
  expect(wrong).toEqual([])
})

/** Labels and values of a metric that the list does not have, and labels that only the list has. */
function unlisted({ name, labels }: Metric, found: ReturnType<Scrape['labelsOf']>): string[] {
  if (found.size === 0) return [] // no series yet: those of the list are looked for below
  const missing = Object.keys(labels).filter((label) => !found.has(label))
  const strange = [...found].flatMap(([label, values]) => {
    const known = labels[label]
    if (known === undefined) return [label]
    return known === 'open' ? [] : [...values].filter((value) => !known.includes(value))
  })
  return [...missing, ...strange].map((what) => `${name}: ${what}`)
}

/** Requests by their outcome are too many to be shown before they occur. */
const OPEN = new Set(['http_request_duration_seconds', 'build_info'])

test('every listed value of every label is there from the beginning, in one service or another', () => {
  const missing = metrics
    .filter(({ name }) => !OPEN.has(name))
    .flatMap(({ name, labels, services }) =>
      Object.entries(labels).flatMap(([label, values]) => {
        const isFound = (value: string) =>
          services.some((service) => scraped[service].labelsOf(name).get(label)?.has(value))
        return values === 'open'
          ? []
          : values.filter((value) => !isFound(value)).map((value) => `${name} ${label} ${value}`)
      }),
    )
  expect(missing).toEqual([])
})

test.for(SERVICES)('%s exposes what Node and prom-client know of the process', (service) => {
  const names = new Set(scraped[service].families.map(({ name }) => name))
  expect(defaultMetrics.filter((name) => !names.has(name))).toEqual([])
})

test('what happened has been counted', () => {
  const { gateway, keys, catalog, tracking, 'webhook-dispatcher': webhooks } = scraped
  const moved = {
    'a request without a token': gateway.sum('http_request_duration_seconds_count', {
      operation: 'listAssets',
      status: '401',
    }),
    'a token': keys.sum('http_request_duration_seconds_count', { operation: 'issueToken', status: '200' }),
    'a rate limit decision': gateway.sum('gateway_rate_limit_decisions_total', {
      source: 'shared',
      outcome: 'taken',
    }),
    'a login by MQTT': keys.sum('broker_logins_total', { client_type: 'mqtt', outcome: 'granted' }),
    'a refused login': keys.sum('broker_logins_total', { client_type: 'nats', outcome: 'refused' }),
    'how long a login took': keys.sum('broker_login_duration_seconds_count', { outcome: 'granted' }),
    'a disconnect of a revoked key': keys.sum('revocation_disconnect_delay_seconds_count'),
    'a message within the second or late': tracking.sum('ingest_messages_total'),
    'a batch and its delay': tracking.sum('ingest_delay_seconds_count'),
    'an observed read': tracking.sum('ingest_reads_total', { outcome: 'observed' }),
    'a row': tracking.sum('ingest_rows_total'),
    'a movement': tracking.sum('ingest_movements_total'),
    'a message in SCANS': tracking.sum('stream_messages', { stream: 'SCANS' }),
    'the bound of SCANS': tracking.sum('stream_max_bytes', { stream: 'SCANS' }),
    'a month ahead': tracking.sum('history_months_ahead'),
    'a batch of an import': catalog.sum('import_batches_total', { outcome: 'done' }),
    'a delivery and its delay': webhooks.sum('webhook_delivery_delay_seconds_count'),
    'an attempt': webhooks.sum('webhook_attempt_duration_seconds_count', { outcome: 'delivered' }),
  }
  for (const [what, count] of Object.entries(moved)) expect(count, what).toBeGreaterThan(0)
  expect(gateway.sum('gateway_key_view_current')).toBe(1)
  expect(keys.sum('broker_connected')).toBe(3)
  expect(webhooks.sum('webhook_dropped_total', { reason: 'lane_full' })).toBe(0)
  expect(tracking.sum('consumer_max_ack_pending_messages', { durable: 'tracking-ingest' })).toBe(10_000)
})

test('no metric names an organization, an asset, a reader or a key', () => {
  for (const { families } of Object.values(scraped))
    for (const { name, labels } of families)
      for (const label of labels)
        expect(`${name} ${label}`).not.toMatch(/ (?:org|asset|reader|key|jti|user|url|host)(?:_|$)/)
})
