import type { CollectedSpan, Collector } from '@whereabouts/testing/collector'
import { expect, vi } from 'vitest'
import {
  newAsset,
  newLocation,
  newOrganization,
  newReader,
  newWebhook,
  type Organization,
} from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import type { System } from '../system/system.ts'
import { test } from './flow.fixture.ts'

let collector: Collector
let system: System
test.beforeAll(({ collector: spans, system: shared }) => {
  collector = spans
  system = shared
})

const found = (name: string, isIt: (span: CollectedSpan) => boolean) =>
  vi.waitUntil(() => collector.spans.find((span) => span.name === name && isIt(span)), { timeout: 20_000 })

/** The step that delivered an event of the organization. */
const deliveryOf = ({ id }: Organization) =>
  found('POST webhook', ({ attributes }) => attributes['org_id'] === id)

/** The steps from a step up to the root of its trace, as `service: name`. Waits for steps that have not arrived. */
async function pathTo(span: CollectedSpan): Promise<string[]> {
  const step = `${span.service}: ${span.name}`
  if (span.parentSpanId === undefined) return [step]
  const parent = await vi.waitUntil(
    () => collector.spans.find(({ spanId }) => spanId === span.parentSpanId),
    { timeout: 20_000 },
  )
  expect(parent.traceId).toBe(span.traceId)
  return [...(await pathTo(parent)), step]
}

test('a save, its event and its delivery are one trace, from the gateway to the receiver', async () => {
  const org = await newOrganization(system.stack, 'traced')
  await newLocation(org, 'Dock', 'DOCK')
  const { external_key: key } = await newAsset(org, 'Pallet', [])
  await newWebhook(org, system.receiver.url.replace('/hook', '/traced'))
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'
  const saved = await org.integrator.POST('/api/v1/inventory/save', {
    body: { asset_identifiers: [key], location_identifier: 'DOCK' },
    headers: { traceparent, 'x-request-id': 'save-1' },
  })
  expect(saved.response.status).toBe(201)

  const delivery = await deliveryOf(org)
  // The caller's own step is the root. We decide whether the trace is recorded, not the caller.
  expect(delivery.traceId).toBe('0af7651916cd43dd8448eb211c80319c')
  collector.spans.push(callersStep('b7ad6b7169203331'))
  expect(await pathTo(delivery)).toEqual([
    'caller: caller',
    'gateway: POST saveInventory',
    'tracking: POST saveInventory',
    'tracking: publish events.asset-moved',
    'webhook-dispatcher: POST webhook',
  ])
  const received = system.receiver.received.find(({ path }) => path === '/traced')
  const { delivery_id: deliveryId } = JSON.parse(received?.body.toString() ?? '{}') as {
    delivery_id?: string
  }
  expect(deliveryId).toEqual(expect.any(String))
  expect(delivery.attributes).toMatchObject({
    attempt: 1,
    'http.response.status_code': 204,
    org_id: org.id,
    delivery_id: deliveryId,
  })
  const atTheGateway = await found('POST saveInventory', ({ traceId }) => traceId === delivery.traceId)
  expect(atTheGateway.attributes).toMatchObject({ request_id: 'save-1', 'http.response.status_code': 201 })
  // Every line of the request can be found by the trace's id.
  await vi.waitUntil(() =>
    system.stack.service('gateway').logs(200).includes(`"trace_id":"${delivery.traceId}"`),
  )
})

test('a scan and its effects are one trace, which begins when tracking takes the scan from the stream', async () => {
  const org = await newOrganization(system.stack, 'scanned')
  const locationId = await newLocation(org, 'Dock', 'DOCK')
  await newAsset(org, 'Pallet', [{ tag_type: 'barcode', value: 'P-1' }])
  await newReader(org, { key: 'gate', format: 'canonical', locationId, antennas: 1 })
  await newWebhook(org, system.receiver.url.replace('/hook', '/scanned'))
  const reader = await connectReader(system.stack, org.readerKey, 'nats')
  const read = { tag: { type: 'barcode', value: 'P-1' } }
  await reader.publish(org.id, 'gate', 'canonical', Buffer.from(JSON.stringify({ reads: [read] })))
  const delivery = await deliveryOf(org)
  expect(await pathTo(delivery)).toEqual([
    'tracking: process tracking-ingest',
    'tracking: publish events.asset-moved',
    'webhook-dispatcher: POST webhook',
  ])
  await reader.close()
})

/** The step that the caller of a request would have recorded itself. */
const callersStep = (spanId: string): CollectedSpan => ({
  service: 'caller',
  name: 'caller',
  kind: 3,
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId,
  parentSpanId: undefined,
  startTimeUnixNano: '0',
  endTimeUnixNano: '0',
  attributes: {},
  links: [],
  failure: undefined,
})
