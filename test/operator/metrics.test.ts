import { writeFileSync } from 'node:fs'
import type { ServiceName } from '@whereabouts/deploy/installation/services'
import { isOfNode, METRICS_FILE, readMetrics, type Metric } from '@whereabouts/deploy/monitoring/metrics'
import { beforeAll, expect, test, vi } from 'vitest'
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
import { receiverUrl, restartService, urls } from './support/system.ts'

let org: Organization
/** After the scenario, and right after a restart. */
let counted: Record<ServiceName, Scrape>
let sampled: Record<ServiceName, Scrape>

const USER_AGENT = 'metrics-test/1'
const CSV = 'external_key,name\nIMPORTED-1,First\nIMPORTED-2,Second\n'

/** A request that the typed client cannot make. */
const call = (method: string, path: string, init: { token?: string; type?: string; body?: string } = {}) =>
  fetch(`${urls.base}${path}`, {
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
  await newWebhook(org, receiverUrl)
  for (const tag of tagsOf('canonical')) await newAsset(org, 'Pallet', [tag])
  const reader = await connectReader({ urls }, org.readerKey, 'mqtt')
  for (const { file } of fixturesOf('canonical'))
    await reader.publish(org.id, 'gate-1', 'canonical', fixtureBytes(file))
  await reader.publish(org.id, 'gate-1', 'canonical', Buffer.from('no JSON'))
  await reader.close()
}

async function logInWrongly(): Promise<void> {
  const wrong = { ...org.readerKey, clientSecret: 'guessed' }
  await expect(connectReader({ urls }, wrong, 'nats')).rejects.toThrow()
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
/** Services with sampled gauges: at the start, then every 15 seconds, or less often if sampling is slow. */
const SAMPLING = ['keys', 'catalog', 'tracking', 'webhook-dispatcher'] as const

async function scrapeAll(): Promise<typeof counted> {
  const all = await Promise.all(SERVICES.map((name) => scrape(urls.ops[name])))
  return Object.fromEntries(SERVICES.map((name, i) => [name, all[i]])) as typeof counted
}

beforeAll(async () => {
  org = await newOrganization({ urls }, 'Measured')
  await scan()
  await Promise.all([logInWrongly(), importFile(), revokeAKey(), call('GET', '/api/v1/assets')])
  await vi.waitFor(
    async () => {
      counted = await scrapeAll()
      const { 'webhook-dispatcher': webhooks, catalog, tracking, gateway, keys } = counted
      expect(webhooks.sum('webhook_deliveries_total', { outcome: 'delivered' })).toBeGreaterThan(0)
      expect(catalog.sum('import_batches_total', { outcome: 'done' })).toBeGreaterThan(0)
      expect(tracking.sum('consumer_buried_total', { reason: 'poison' })).toBeGreaterThan(0)
      expect(gateway.sum('gateway_revocation_delay_seconds_count')).toBeGreaterThan(0)
      expect(keys.sum('revocation_disconnect_delay_seconds_count')).toBeGreaterThan(0)
    },
    { timeout: 60_000, interval: 200 },
  )
  // A restart samples again at once.
  await Promise.all(SAMPLING.map(restartService))
  await vi.waitFor(
    async () => {
      sampled = await scrapeAll()
      const { 'webhook-dispatcher': webhooks, catalog, tracking, keys } = sampled
      expect(catalog.sum('imports', { state: 'done' })).toBeGreaterThan(0)
      expect(tracking.sum('readers', { kind: 'configured', state: 'online' })).toBeGreaterThan(0)
      expect(tracking.sum('stream_messages', { stream: 'SCANS' })).toBeGreaterThan(0)
      expect(webhooks.sum('webhooks', { state: 'enabled' })).toBeGreaterThan(0)
      expect(keys.sum('organizations', { subscription: 'open_ended' })).toBeGreaterThan(1)
    },
    { timeout: 60_000, interval: 200 },
  )
}, 180_000)

/** Labels whose values are bounded by the code and too many to list. */
const OPEN = new Set(['version', 'commit', 'node', 'check', 'operation', 'method', 'status', 'pool', 'what'])
const isOpen = (metric: string, label: string) => OPEN.has(label)

/** The expected list in deploy/monitoring. A metric that does not start at zero is in one scrape only. */
function exposedMetrics(): Metric[] {
  const families = SERVICES.flatMap((service) =>
    counted[service].families.map((family) => ({ service, ...family })),
  )
  return Object.values(Object.groupBy(families, ({ name }) => name))
    .map((found = []) => {
      const [{ name, type, help }] = found as [(typeof found)[number]]
      const services = found.map(({ service }) => service)
      return { name, type, help, services, labels: isOfNode(name) ? {} : labelsOf(name) }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function labelsOf(name: string): Metric['labels'] {
  const values = new Map<string, Set<string>>()
  for (const service of SERVICES)
    for (const [label, found] of [...counted[service].labelsOf(name), ...sampled[service].labelsOf(name)])
      values.set(label, (values.get(label) ?? new Set()).union(found))
  const listed = (label: string, found: Set<string>) =>
    isOpen(name, label) ? ('open' as const) : [...found].toSorted()
  return Object.fromEntries(
    [...values]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([label, found]) => [label, listed(label, found)]),
  )
}

test('deploy/monitoring/metrics.json lists what the services expose; UPDATE_METRICS=1 writes it', () => {
  const exposed = exposedMetrics()
  if (process.env['UPDATE_METRICS'] !== undefined)
    writeFileSync(METRICS_FILE, `${JSON.stringify(exposed, null, 2)}\n`)
  expect(readMetrics()).toEqual(exposed)
})

test('every value of a closed label starts at zero in a new process', () => {
  const missing = readMetrics().flatMap(({ name, labels }) =>
    Object.entries(labels).flatMap(([label, values]) => {
      const found = SERVICES.map((service) => sampled[service].labelsOf(name).get(label))
      return values === 'open'
        ? []
        : values
            .filter((value) => !found.some((set) => set?.has(value)))
            .map((value) => `${name} ${label} ${value}`)
    }),
  )
  expect(missing).toEqual([])
})

test('each event of the scenario is counted', () => {
  const { gateway, keys, catalog, tracking, 'webhook-dispatcher': webhooks } = counted
  const moved = {
    'a request without a token': gateway.sum('http_request_duration_seconds_count', {
      operation: 'listAssets',
      status: '401',
    }),
    'a token': keys.sum('http_request_duration_seconds_count', { operation: 'createToken', status: '200' }),
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
    'a message in SCANS': sampled.tracking.sum('stream_messages', { stream: 'SCANS' }),
    'the bound of SCANS': sampled.tracking.sum('stream_max_bytes', { stream: 'SCANS' }),
    'a day ahead': sampled.tracking.sum('history_days_ahead'),
    'a batch of an import': catalog.sum('import_batches_total', { outcome: 'done' }),
    'a delivery and its delay': webhooks.sum('webhook_delivery_delay_seconds_count'),
    'an attempt': webhooks.sum('webhook_attempt_duration_seconds_count', { outcome: 'delivered' }),
  }
  for (const [what, count] of Object.entries(moved)) expect(count, what).toBeGreaterThan(0)
  expect(gateway.sum('gateway_key_view_current')).toBe(1)
  expect(keys.sum('broker_connected')).toBe(3)
  expect(webhooks.sum('webhook_dropped_total', { reason: 'event_removed' })).toBe(0)
  expect(sampled.tracking.sum('consumer_max_ack_pending_messages', { durable: 'tracking-ingest' })).toBe(
    10_000,
  )
})

test('no metric names an organization, an asset, a reader or a key', () => {
  for (const { families } of Object.values(counted))
    for (const { name, labels } of families)
      for (const label of labels)
        expect(`${name} ${label}`).not.toMatch(/ (?:org|asset|reader|key|jti|user|url|host)(?:_|$)/)
})
