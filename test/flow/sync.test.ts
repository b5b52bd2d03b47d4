import { createWhereabouts, type AssetItem, type SyncResult } from '@whereabouts/client'
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { newOrganization, type ApiKey } from '../system/organization.ts'
import { cuttingProxy } from './cutting-proxy.ts'
import { test } from './flow.fixture.ts'

const clientOf = ({ clientId, clientSecret }: ApiKey, baseUrl: string) =>
  createWhereabouts({
    baseUrl,
    clientId,
    clientSecret,
    userAgent: 'tests/1',
    wait: (ms, signal) => new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, Math.min(ms, 20))
      signal.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason) })
    }),
    attempts: 50,
  }) // oxfmt-ignore

const items = (count: number, name = 'Asset'): AssetItem[] =>
  Array.from({ length: count }, (_, i) => ({
    external_key: `A-${String(i).padStart(5, '0')}`,
    name: `${name} ${i}`,
    metadata: { serial: `S${i}` },
    tags: [{ tag_type: 'rfid', value: `E2${String(i).padStart(22, '0')}` }],
  }))

const counts = { created: 0, updated: 0, unchanged: 0, failed: 0, retired: 0 }

test('assets are what the items say, and a second run changes nothing', async ({ system }) => {
  const { integratorKey } = await newOrganization(system.stack, 'Sync')
  const whereabouts = clientOf(integratorKey, system.stack.urls.base)
  const { assets } = whereabouts
  expect(await assets.sync(items(1_200), { dryRun: true })).toMatchObject({ ...counts, created: 1_200 })
  expect(await assets.sync(items(1_200))).toMatchObject({ ...counts, created: 1_200 })
  for (let round = 0; round < 3; round += 1)
    expect(await assets.sync(items(1_200))).toMatchObject({ ...counts, unchanged: 1_200 })
  const results: SyncResult[] = []
  const changed = [...items(900, 'Renamed'), { external_key: 'A-00001', name: 'Twice' }, { external_key: 'NEW' }]
  const report = await assets.sync(changed, { onResult: (result) => results.push(result) })
  expect(report).toMatchObject({ ...counts, updated: 900, failed: 2 })
  expect(report.failures.map(({ external_key, error }) => [external_key, error?.detail])).toEqual([
    ['NEW', 'name is required'], ['A-00001', 'an earlier item has this external_key'],
  ]) // oxfmt-ignore
  expect(results).toHaveLength(902)
  await expect(assets.sync(items(900), { retire: { atMost: 299 } })).rejects.toThrow('300 assets are not among the 900 items')
  await expect(assets.sync([], { retire: { atMost: 5_000 } })).rejects.toThrow('not among the 0 items')
  await expect(assets.sync([{ external_key: 'BAD' }], { retire: { atMost: 5_000 } })).rejects.toThrow('nothing was retired')
  expect(await assets.sync(items(900), { retire: { atMost: 300 }, dryRun: true })).toMatchObject({ unchanged: 900, retired: 300 })
  expect(await assets.sync(items(900), { retire: { atMost: 300 } })).toMatchObject({ unchanged: 900, retired: 300 })
  const left = await Array.fromAsync(whereabouts.rows('/api/v1/assets'))
  expect(left.map(({ external_key }) => external_key).toSorted()).toEqual(items(900).map(({ external_key }) => external_key))
  const rooms = [{ external_key: 'HALL', name: 'Hall' }, { external_key: 'ROOM', name: 'Room', parent_external_key: 'HALL' }]
  expect(await whereabouts.locations.sync(rooms)).toMatchObject({ ...counts, created: 2 })
}) // oxfmt-ignore

/** Each connection that the client makes is cut somewhere, on the way there or back, until a request has failed often enough. */
test('each request may be cut anywhere and is repeated: the end is the same, and each change has one event', async ({ system }) => {
  const { integratorKey } = await newOrganization(system.stack, 'Cut')
  const direct = clientOf(integratorKey, system.stack.urls.base)
  const cursor = await direct.events.cursor()
  const random = (n: number, most: number) => createHash('sha256').update(`cut ${n}`).digest().readUInt32BE() % most
  const CUTS = 60
  const proxy = await cuttingProxy(system.stack.urls.base, (n) =>
    n >= CUTS ? undefined : n % 3 === 0 ? { sent: random(n, 40_000) } : { received: random(n, 20_000) },
  )
  try {
    const client = clientOf(integratorKey, proxy.url)
    await client.locations.sync([{ external_key: 'DOCK', name: 'Dock' }])
    for (let round = 0; proxy.connections() <= CUTS && round < 40; round += 1) {
      await client.assets.sync(items(300, `Round ${round % 2}`))
      await client.upsertAsset(`U-${round}`, { name: 'Upserted' })
      await client.saveInventory([`U-${round}`], 'DOCK')
    }
    expect(proxy.connections()).toBeGreaterThan(20)
  } finally {
    proxy.close()
  }
  const rows = await Array.fromAsync(direct.rows('/api/v1/assets', { query: { sort: 'external_key' } }))
  const synced = rows.filter(({ external_key: key }) => key.startsWith('A-'))
  expect(synced).toHaveLength(300)
  expect(new Set(synced.map(({ name }) => name.replace(/\d+$/, ''))).size).toBe(1)
  const created: string[] = []
  const stop = new AbortController()
  const seen = direct.events.consume({
    store: { read: () => cursor, write: () => { if (created.length >= rows.length) stop.abort(new Error('all')) } },
    types: ['asset.created'],
    onEvent: async ({ data }) => void created.push((data as { asset: { external_key: string } }).asset.external_key),
    signal: stop.signal,
  })
  await expect(seen).rejects.toThrow('all')
  expect(created.toSorted()).toEqual(rows.map(({ external_key }) => external_key).toSorted())
}) // oxfmt-ignore
