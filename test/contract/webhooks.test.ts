import { scopes } from '@whereabouts/contracts/route'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, inject } from 'vitest'
import { connectReader } from '../system/readers.ts'
import type { Api } from './support/api.ts'
import { catalogOf } from './support/catalog.ts'
import { registerHook, signatureOf, startHook, type HookServer } from './support/deliveries.ts'
import { test } from './support/fixtures.ts'
import { newOrganization, succeed, type Key, type Organization } from './support/organization.ts'

const SOON = { timeout: 20_000, interval: 100 }
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

let hook: HookServer
beforeEach(async () => {
  hook = await startHook()
})
afterEach(() => hook.close())

/** An organization with a webhook, an asset, two locations and a way to move the asset. */
async function listener(api: Api, enabled = true) {
  const org = await newOrganization(api)
  const key = await org.key()
  const { token } = key
  const { asset, location } = catalogOf(api, token)
  const [box, dock, shelf] = [
    await asset({ name: 'Box' }),
    await location({ name: 'Dock' }),
    await location({ name: 'Shelf' }),
  ]
  const webhook = await registerHook(api, org, hook.url, enabled)
  const save = async (at: { external_key: string }, ...boxes: { external_key: string }[]) => {
    const assets = (boxes.length > 0 ? boxes : [box]).map(({ external_key }) => external_key)
    const body = { asset_identifiers: assets, location_identifier: at.external_key }
    return (await succeed(api.call('saveInventory', { token, body }))).body.data
  }
  return { org, key, token, asset, location, box, dock, shelf, webhook, save }
}

const deliveries = (count: number) => expect.poll(() => hook.received.length, SOON).toBe(count)
const events = () => hook.received.map(({ event }) => event)
const placeOf = ({ id, name }: { id: number; name: string }) => ({ id, name })

/** A reader with an unassigned antenna reads this tag. Its message can still name a location. */
async function scan(
  api: Api,
  { id, admin: token }: Organization,
  key: Key,
  read: { value: string; location?: string },
) {
  const reader = { reader_key: 'gate', name: 'Gate', format: 'canonical' }
  const made = (await succeed(api.call('createReader', { token, body: reader }))).body.data
  const point = { antenna: 1, name: 'Nowhere', location_id: null }
  await succeed(api.call('createScanPoint', { token, params: { reader_id: made.id ?? 0 }, body: point }))
  const link = await connectReader({ urls: inject('urls') }, key, 'nats')
  const { value, location } = read
  const reads = [{ tag: { type: 'barcode', value }, antenna: 1, location }]
  await link.publish(id, 'gate', 'canonical', Buffer.from(JSON.stringify({ reads })))
  await link.close()
}

describe('Events: payload, headers and signature', () => {
  test('a save is delivered: exactly the fields, headers and signature of the contract', async ({ api }) => {
    const { box, dock, shelf, save, webhook } = await listener(api)
    const first = await save(dock)
    await deliveries(1)
    await save(shelf)
    await deliveries(2)
    expect(events()).toEqual([
      {
        event: 'asset.moved',
        delivery_id: expect.stringMatching(UUID),
        occurred_at: first.timestamp,
        data: {
          asset: { id: box.id, external_key: box.external_key, name: 'Box' },
          from_location: null,
          to_location: placeOf(dock),
        },
      },
      {
        event: 'asset.moved',
        delivery_id: expect.stringMatching(UUID),
        occurred_at: expect.any(String),
        data: {
          asset: { id: box.id, external_key: box.external_key, name: 'Box' },
          from_location: placeOf(dock),
          to_location: placeOf(shelf),
        },
      },
    ])
    for (const delivery of hook.received) {
      const { headers, event, bytes } = delivery
      const timestamp = String(Math.floor(Date.parse(event.occurred_at) / 1000))
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signed, ...own } = headers
      expect([id, at, signed]).toEqual([
        event.delivery_id,
        expect.stringMatching(/^\d{10}$/),
        expect.stringMatching(/^v1,\S{44}$/),
      ]) // D13.6
      expect(own).toEqual({
        host: new URL(hook.url).host,
        connection: 'keep-alive',
        'content-length': String(bytes.length),
        'content-type': 'application/json',
        'user-agent': 'Service-Webhooks/1',
        'x-service-event': 'asset.moved',
        'x-service-delivery': event.delivery_id,
        'x-service-timestamp': timestamp,
        'x-service-signature': signatureOf(webhook.secret, delivery),
      })
    }
    expect(new Set(events().map(({ delivery_id }) => delivery_id)).size).toBe(2)
  })

  test('every asset of a save has its own delivery', async ({ api }) => {
    const { asset, box, dock, save } = await listener(api)
    const boxes = [box, await asset({ name: 'Two' }), await asset({ name: 'Drei 📦' })]
    await save(dock, ...boxes)
    await deliveries(3)
    const names = events().map(({ data }) => data.asset.name)
    expect(names.toSorted()).toEqual(['Box', 'Drei 📦', 'Two'])
    expect(new Set(events().map(({ delivery_id }) => delivery_id)).size).toBe(3)
  })

  test("an event goes only to the organization's own endpoint", async ({ api }) => {
    const mine = await listener(api)
    const theirs = await listener(api)
    await mine.save(mine.dock)
    await theirs.save(theirs.dock)
    await deliveries(2)
    const signed = hook.received.map((delivery) =>
      [mine, theirs].map(
        ({ webhook }) => signatureOf(webhook.secret, delivery) === delivery.headers['x-service-signature'],
      ),
    )
    expect(signed.toSorted(([mineFirst], [other]) => Number(mineFirst) - Number(other))).toEqual([
      [false, true],
      [true, false],
    ])
  })
})

describe('Events: when it fires', () => {
  test('a scan at the same location sends nothing; at another one it sends an event', async ({ api }) => {
    const { dock, shelf, save } = await listener(api)
    await save(dock)
    await save(dock)
    await save(shelf)
    await deliveries(2)
    expect(new Set(events().map(({ data }) => data.to_location.id))).toEqual(new Set([dock.id, shelf.id]))
  })

  test('a scan without a location sends nothing; the next event has from_location null', async ({ api }) => {
    const { org, key, token, asset, dock, save } = await listener(api)
    const value = randomUUID()
    const crate = await asset({ name: 'Crate', tags: [{ tag_type: 'barcode', value }] })
    await scan(api, org, key, { value })
    const seen = () => api.call('listAssetHistory', { token, params: { asset_id: crate.id } })
    await expect.poll(async () => (await seen()).body.total_count, SOON).toBe(1)
    await save(dock, crate)
    await deliveries(1)
    expect(events()[0]?.data).toMatchObject({
      asset: { id: crate.id },
      from_location: null,
      to_location: placeOf(dock),
    })
  })

  test('a first scan by a reader: from_location is null, and occurred_at is the instant of the scan', async ({
    api,
  }) => {
    const { org, key, token, asset, dock } = await listener(api)
    const value = randomUUID()
    const crate = await asset({ tags: [{ tag_type: 'barcode', value }] })
    await scan(api, org, key, { value, location: dock.external_key })
    await deliveries(1)
    const { body } = await api.call('listAssetHistory', { token, params: { asset_id: crate.id } })
    expect(events()[0]).toMatchObject({
      occurred_at: body.data[0]?.event_observed_at,
      data: { from_location: null, to_location: placeOf(dock) },
    })
  })

  test('a deleted origin: from_location is null', async ({ api }) => {
    const { box, dock, shelf, save, token } = await listener(api)
    await save(dock)
    await deliveries(1)
    await succeed(api.call('deleteLocation', { token, params: { location_id: dock.id } }))
    const history = () => succeed(api.call('listAssetHistory', { token, params: { asset_id: box.id } }))
    // Tracking hears of it a moment later (D8.3).
    await expect.poll(async () => (await history()).body.data[0]?.location_external_key).toBeNull()
    await save(shelf)
    await deliveries(2)
    expect(events()[1]?.data).toMatchObject({ from_location: null, to_location: placeOf(shelf) })
  })

  test('names are those at the time of the movement, also in a later attempt', async ({ api }) => {
    const { box, dock, save, token } = await listener(api)
    hook.replyWith(500)
    await save(dock)
    await deliveries(1)
    await succeed(api.call('updateAsset', { token, params: { asset_id: box.id }, body: { name: 'Renamed' } }))
    await succeed(
      api.call('updateLocation', { token, params: { location_id: dock.id }, body: { name: 'Renamed' } }),
    )
    await deliveries(2)
    expect(events()[1]).toEqual(events()[0])
    expect(events()[1]?.data).toMatchObject({ asset: { name: 'Box' }, to_location: { name: 'Dock' } })
  })
})

describe('Events: delivery semantics', () => {
  test('D11.3 three attempts, about 1 s and 5 s apart, the same bytes each; then it is dropped', async ({
    api,
  }) => {
    const { dock, shelf, save, webhook } = await listener(api)
    hook.replyWith(500, 302, 404)
    await save(dock)
    await deliveries(3)
    await save(shelf)
    await deliveries(4)
    const tries = hook.received.slice(0, 3)
    const ofAttempt = { 'webhook-timestamp': expect.any(String), 'webhook-signature': expect.any(String) } // D13.6
    const alike = tries.map(({ bytes, headers }) => ({ bytes, headers: { ...headers, ...ofAttempt } }))
    expect(alike).toEqual(alike.map(() => alike[0]))
    expect(events()[3]?.delivery_id).not.toBe(events()[0]?.delivery_id)

    const log = async () => (await api.call('listWebhookDeliveries', webhook.call)).body.data
    await expect.poll(async () => (await log()).length, SOON).toBe(4)
    const rows = (await log()).toReversed()
    expect(rows.map(({ attempt, outcome, status_code }) => [attempt, outcome, status_code])).toEqual([
      [1, 'failed', 500],
      [2, 'failed', 302],
      [3, 'failed', 404],
      [1, 'delivered', 204],
    ])
    const at = rows.map(({ attempted_at }) => Date.parse(attempted_at))
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(800)
    expect((at[2] ?? 0) - (at[1] ?? 0)).toBeGreaterThanOrEqual(4_000)
  })

  test('D11.7 the log has the time, outcome and duration of each attempt', async ({ api }) => {
    const { dock, save, webhook } = await listener(api)
    await save(dock)
    const log = async () => (await api.call('listWebhookDeliveries', webhook.call)).body
    await expect.poll(async () => (await log()).total_count, SOON).toBe(1)
    expect((await log()).data).toEqual([
      {
        delivery_id: events()[0]?.delivery_id,
        attempt: 1,
        attempted_at: expect.any(String),
        outcome: 'delivered',
        status_code: 204,
        latency_ms: expect.any(Number),
        error: null,
        test: false,
      },
    ])
  })

  test('movements while delivery is off are dropped and not sent later', async ({ api }) => {
    const { box, dock, shelf, save, token, webhook } = await listener(api, false)
    await save(dock)
    // The broker's time of an event and the database's of the toggle may differ by two seconds.
    const onlyThen = Date.now() + 2_500
    await expect.poll(() => Date.now(), SOON).toBeGreaterThan(onlyThen)
    await succeed(api.call('updateWebhook', { ...webhook.call, body: { enabled: true } }))
    await save(shelf)
    await deliveries(1)
    expect(events()[0]?.data).toMatchObject({ asset: { id: box.id }, to_location: { id: shelf.id } })
    await succeed(api.call('updateWebhook', { ...webhook.call, body: { enabled: false } }))
    await save(dock)
    const location = await catalogOf(api, token).location({ name: 'Yard' })
    await succeed(api.call('updateWebhook', { ...webhook.call, body: { enabled: true } }))
    await save(location)
    await expect.poll(() => events().at(-1)?.data.to_location.id, SOON).toBe(location.id)
  })

  test('deleted and created again, it has another secret, and the log of the first is gone', async ({
    api,
  }) => {
    const { org, dock, save, webhook } = await listener(api)
    await save(dock)
    await deliveries(1)
    await succeed(api.call('deleteWebhook', webhook.call))
    const second = await registerHook(api, org, `${hook.url}/new`)
    expect(second.secret).not.toBe(webhook.secret)
    expect((await api.call('listWebhookDeliveries', second.call)).body.total_count).toBe(0)
    await succeed(api.call('testWebhook', second.call))
    const delivery = hook.received.at(-1)
    expect(delivery?.path).toBe('/hook/new')
    expect(delivery && signatureOf(second.secret, delivery)).toBe(delivery?.headers['x-service-signature'])
  })
})

describe('D11.5 the test event', () => {
  test('is one synthetic asset.moved, signed like any other, also while delivery is off', async ({ api }) => {
    const { webhook } = await listener(api, false)
    const reply = await api.call('testWebhook', webhook.call)
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({ data: { status_code: 204, error: null } })
    const [delivery] = hook.received
    expect(delivery?.event).toEqual({
      event: 'asset.moved',
      delivery_id: delivery?.headers['x-service-delivery'],
      occurred_at: expect.any(String),
      data: {
        asset: { id: expect.any(Number), external_key: 'TEST-ASSET', name: expect.any(String) },
        from_location: { id: expect.any(Number), name: 'Test Origin' },
        to_location: { id: expect.any(Number), name: 'Test Destination' },
      },
    })
    expect(delivery && signatureOf(webhook.secret, delivery)).toBe(delivery?.headers['x-service-signature'])
    const { data } = (await api.call('listWebhookDeliveries', webhook.call)).body
    expect(data).toMatchObject([{ attempt: 1, outcome: 'delivered', test: true }])
  })

  test.for([307, 401, 500])(
    'reports the %i that the receiver returned, and does not retry',
    async (status, { api }) => {
      const { webhook } = await listener(api)
      hook.replyWith(status)
      const { status: answered, body } = await api.call('testWebhook', webhook.call)
      expect(answered).toBe(200)
      expect(body.data).toEqual({ status_code: status, error: expect.any(String) })
      expect(hook.received).toHaveLength(1)
    },
  )

  test('reports an unreachable receiver', async ({ api }) => {
    const { webhook } = await listener(api)
    await hook.close()
    expect((await api.call('testWebhook', webhook.call)).body.data).toEqual({
      status_code: null,
      error: 'connection refused',
    })
  })

  test('is limited', async ({ api }) => {
    const { webhook } = await listener(api)
    const statuses = await Promise.all(
      Array.from({ length: 7 }, async () => (await api.call('testWebhook', webhook.call)).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
    expect(hook.received).toHaveLength(5)
  })
})

describe('D11.1 registration', () => {
  test('the toggle is on by default; PATCH changes only what it sends', async ({ api, newOrg }) => {
    const org = await newOrg()
    const off = await registerHook(api, org, 'https://receiver.example/a', false)
    const changed = await api.call('updateWebhook', {
      ...off.call,
      body: { url: 'https://receiver.example/b' },
    })
    expect(changed.body.data).toMatchObject({ url: 'https://receiver.example/b', enabled: false })
    await api.call('deleteWebhook', off.call)
    const on = await registerHook(api, org, 'https://receiver.example/a')
    expect((await api.call('getWebhook', on.call)).body.data).toMatchObject({ enabled: true })
  })

  test('of two simultaneous registrations one succeeds', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const body = { url: 'https://receiver.example/a' }
    const replies = await Promise.all([1, 2, 3, 4].map(() => api.call('createWebhook', { token, body })))
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409])
    expect((await api.call('listWebhooks', { token })).body.total_count).toBe(1)
  })

  test('a key with all scopes but webhooks:admin can neither read nor change it', async ({ api, newOrg }) => {
    const org = await newOrg()
    const { token } = await org.key({ scopes: scopes.filter((scope) => scope !== 'webhooks:admin') })
    const { call } = await registerHook(api, org, 'https://receiver.example/a')
    for (const operation of [
      'getWebhook',
      'deleteWebhook',
      'rotateWebhookSecret',
      'testWebhook',
      'listWebhookDeliveries',
    ] as const)
      expect((await api.call(operation, { ...call, token })).status).toBe(403)
    expect((await api.call('getWebhook', call)).status).toBe(200)
  })
})
