import { eventually } from '@whereabouts/testing/eventually'
import { createHmac } from 'node:crypto'
import { describe, expect, vi } from 'vitest'
import { fixtureBytes, fixturesOf, tagsOf } from '../system/fixtures.ts'
import {
  historyRows,
  newAsset,
  newLocation,
  newOrganization,
  newReader,
  newWebhook,
  readerViews,
  reportRows,
} from '../system/organization.ts'
import { connectReader, type Transport } from '../system/readers.ts'
import type { System } from '../system/system.ts'
import { test } from './flow.fixture.ts'

let system: System
test.beforeAll(({ system: shared }) => {
  system = shared
})

const transports: (Transport | 'https')[] = ['nats', 'mqtt', 'https']

const deliveriesTo = (path: string) => system.receiver.received.filter((delivery) => delivery.path === path)

/** An organization with an asset for every tag in the fixtures of a format, and a webhook. */
async function preparedOrganization(name: string, format: 'canonical' | 'impinj') {
  const { stack, receiver } = system
  const org = await newOrganization(stack, name)
  const locationId = await newLocation(org, 'Receiving dock', 'DOCK-1')
  await newReader(org, { key: 'gate-1', format, locationId, antennas: 8 })
  const path = `/${name}`
  const secret = await newWebhook(org, receiver.url.replace('/hook', path))
  const assets = await Promise.all(
    tagsOf(format).map((tag, i) => newAsset(org, `${format} asset ${i}`, [tag])),
  )
  return { org, locationId, assets, secret, path }
}

describe('one scan, end to end', () => {
  test.for(transports)(
    'every canonical fixture over %s becomes report rows, history rows and signed deliveries',
    async (transport) => {
      const format = 'canonical'
      const { org, locationId, assets, secret, path } = await preparedOrganization(
        `${format}-${transport}`,
        format,
      )
      const reader = await connectReader(system.stack, org.readerKey, transport)
      for (const { file } of fixturesOf(format))
        await reader.publish(org.id, 'gate-1', format, fixtureBytes(file))

      const ids = assets.map((asset) => asset.id).toSorted((a, b) => a - b)
      const rows = await vi.waitUntil(
        async () => {
          const found = await reportRows(org)
          return found.length === assets.length && found
        },
        { timeout: 15_000, interval: 250 },
      )
      expect(rows.map((row) => row.asset_id).toSorted((a, b) => a - b)).toEqual(ids)
      for (const row of rows)
        expect(row).toMatchObject({ location_id: locationId, location_external_key: 'DOCK-1' })

      for (const asset of assets) {
        const history = await historyRows(org, asset.id)
        // The fixtures were published within a few seconds: one minute, or two if a minute ended meanwhile.
        expect([1, 2]).toContain(history.length)
        expect(history.at(-1)).toMatchObject({ location_id: locationId, duration_seconds: null })
      }

      await vi.waitFor(() => expect(deliveriesTo(path)).toHaveLength(assets.length), { timeout: 15_000 })
      for (const { headers, body } of deliveriesTo(path)) {
        const timestamp = headers['x-service-timestamp'] ?? ''
        const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
        expect(headers['x-service-signature']).toBe(`sha256=${signature}`)
        const event = JSON.parse(body.toString())
        expect(headers).toMatchObject({
          'content-type': 'application/json',
          'user-agent': 'Service-Webhooks/1',
          'x-service-event': 'asset.moved',
          'x-service-delivery': event.delivery_id,
        })
        expect(timestamp).toBe(String(Math.floor(Date.parse(event.occurred_at) / 1000)))
        expect(event).toMatchObject({
          event: 'asset.moved',
          data: { from_location: null, to_location: { id: locationId, name: 'Receiving dock' } },
        })
        expect(ids).toContain(event.data.asset.id)
      }
      await reader.close()
    },
  )
})

describe('an operator', () => {
  test('overrides a reader at once, and the receiver gets the location before', async () => {
    const { org, locationId, path } = await preparedOrganization('saved', 'canonical')
    const shelfId = await newLocation(org, 'Shelf', 'SHELF-1')
    const box = await newAsset(org, 'Box', [{ tag_type: 'barcode', value: 'BOX-1' }])
    const reader = await connectReader(system.stack, org.readerKey, 'nats')
    const reads = [{ tag: { type: 'barcode', value: 'BOX-1' } }]
    await reader.publish(org.id, 'gate-1', 'canonical', Buffer.from(JSON.stringify({ reads })))
    await reader.close()
    await vi.waitFor(() => expect(deliveriesTo(path)).toHaveLength(1), { timeout: 15_000 })

    const body = { asset_identifiers: [box.external_key], location_identifier: 'SHELF-1' }
    const saved = await org.integrator.POST('/api/v1/inventory/save', { body })
    expect(saved.response.status).toBe(201)
    expect(await reportRows(org)).toMatchObject([{ asset_id: box.id, location_id: shelfId }])
    expect((await historyRows(org, box.id))[0]).toMatchObject({ location_id: shelfId })
    await vi.waitFor(() => expect(deliveriesTo(path)).toHaveLength(2), { timeout: 15_000 })
    expect(JSON.parse(deliveriesTo(path)[1]?.body.toString() ?? '')).toMatchObject({
      event: 'asset.moved',
      occurred_at: saved.data?.data.timestamp,
      data: {
        asset: { id: box.id },
        from_location: { id: locationId, name: 'Receiving dock' },
        to_location: { id: shelfId, name: 'Shelf' },
      },
    })
  })
})

describe('bad input', () => {
  test('a message that cannot be parsed becomes a dead letter, and the next one is processed', async () => {
    const { org } = await preparedOrganization('bad-input', 'impinj')
    const reader = await connectReader(system.stack, org.readerKey, 'mqtt')
    await reader.publish(org.id, 'gate-1', 'impinj', Buffer.from('\u0016 this is no reader message {'))
    await reader.publish(org.id, 'gate-1', 'carrier-pigeon', Buffer.from('{}'))
    await reader.publish(org.id, 'gate-1', 'impinj', fixtureBytes('impinj-webhook-array.json'))
    await vi.waitFor(async () => expect(await reportRows(org)).not.toEqual([]), { timeout: 15_000 })
    await eventually(async () => {
      const [view] = await readerViews(org)
      expect(view?.health).toMatchObject({
        messages_buried: 2,
        last_problem: 'unknown format "carrier-pigeon"',
      })
    })
    const metrics = await (await fetch(`${system.stack.urls.ops.tracking}/metrics`)).text()
    expect(metrics).toMatch(/consumer_buried_total\{[^}]*durable="tracking-ingest"[^}]*\} [1-9]/)
    await reader.close()
  })
})

describe('two organizations', () => {
  test.for(transports)('a reader cannot publish for another organization over %s', async (transport) => {
    const { org: victim } = await preparedOrganization(`victim-${transport}`, 'canonical')
    const intruder = await newOrganization(system.stack, `intruder-${transport}`)
    const reader = await connectReader(system.stack, intruder.readerKey, transport)
    const bytes = fixtureBytes('canonical-minimal.json')
    // NATS refuses the publish. MQTT 3.1.1 cannot refuse: the broker acknowledges and stores nothing.
    const refused = await reader.publish(victim.id, 'gate-1', 'canonical', bytes).then(
      () => false,
      () => true,
    )
    expect(refused).toBe(transport === 'nats')
    await reader.close()
    // The next message of the victim's own reader arrives, and nothing arrived before it.
    const own = await connectReader(system.stack, victim.readerKey, transport)
    await own.publish(victim.id, 'gate-1', 'canonical', fixtureBytes('canonical-mixed.json'))
    await vi.waitFor(async () => expect((await readerViews(victim))[0]?.health.messages).toBe(1), {
      timeout: 15_000,
    })
    await own.close()
  })
})
