import { expect, inject } from 'vitest'
import { connectReader } from '../../system/readers.ts'
import type { Api } from './api.ts'
import type { World } from './world.ts'

const MINUTE_MS = 60_000

/** In the minutes before its scan, the asset of the world went back and forth between the location and its child. */
export async function goBackAndForth<W extends World>(api: Api, world: W): Promise<W> {
  const { org, readerKey, asset, reader, location, child } = world
  const reads = Array.from({ length: 7 }, (_, i) => ({
    tag: { type: 'barcode', value: asset.tagValue },
    antenna: 1,
    read_at: new Date(Date.now() - (9 - i) * MINUTE_MS).toISOString(),
    location: (i % 2 === 0 ? location : child).external_key,
  }))
  const link = await connectReader({ urls: inject('urls') }, readerKey, 'nats')
  await link.publish(org.id, reader.reader_key, 'canonical', Buffer.from(JSON.stringify({ reads })))
  await link.close()
  const unsteady = async () => (await api.call('listUnsteadyAssets', { token: org.admin })).body.total_count
  await expect.poll(unsteady, { timeout: 10_000, interval: 200 }).toBe(1)
  // The counters of the reader are written a little later; from then on nothing changes by itself.
  const readers = async () => (await api.call('listReaders', { token: org.admin })).body.data
  await expect.poll(readers, { timeout: 10_000 }).toMatchObject([{ health: { messages: 2 } }])
  return world
}
