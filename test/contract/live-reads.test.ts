import type { LiveRead } from '@whereabouts/contracts/resources/tracking/reader-messages'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import { openEvents } from '@whereabouts/testing/event-stream'
import { expect, inject } from 'vitest'
import { fromNewAddress } from '../system/addresses.ts'
import { connectReader } from '../system/readers.ts'
import { test } from './support/fixtures.ts'
import { newWorld } from './support/world.ts'

test('D16.6 a view of a reader shows reads over each transport, through the gateway', async ({ api }) => {
  const { org, reader, readerKey } = await newWorld(api)
  const view = await openEvents(`${inject('urls').base}${API_PREFIX}/readers/${reader.id}/reads`, {
    authorization: `Bearer ${org.admin}`,
    'user-agent': 'contract-suite/1',
    ...fromNewAddress(),
  })
  expect(view.status).toBe(200)
  const transports = ['nats', 'mqtt', 'https'] as const
  for (const [index, transport] of transports.entries()) {
    const link = await connectReader({ urls: inject('urls') }, readerKey, transport)
    const bytes = Buffer.from(JSON.stringify({ reads: [{ tag: { type: 'rfid', value: `F00${index}` } }] }))
    await link.publish(org.id, reader.reader_key, 'canonical', bytes)
    await link.close()
    await view.next(index + 1)
  }
  const reads = view.events.map(({ data }) => JSON.parse(data) as LiveRead)
  expect(reads.map(({ via, tag, outcome }) => [via, tag.value, outcome])).toEqual([
    ['nats', 'F000', 'unknown_tag'],
    ['mqtt', 'F001', 'unknown_tag'],
    ['https', 'F002', 'unknown_tag'],
  ])
  view.close()
})
