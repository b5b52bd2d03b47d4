import { expect, test } from 'vitest'
import { unwrap } from './client.ts'
import { testDouble } from './testing.ts'
import { createWhereabouts } from './whereabouts.ts'

/** A client of a new test double, and the paths that it asked for. */
function open() {
  const double = testDouble()
  const asked: string[] = []
  const fetch = (request: Request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`)
    return double.fetch(request)
  }
  return { asked, ...createWhereabouts({ ...double, fetch }) }
}

const listed = async <T>(rows: AsyncIterable<T>) => {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

test('what the client saves, its lists and the report have', async () => {
  const whereabouts = open()
  await whereabouts.upsertLocation('DOCK-1', { name: 'Dock 1' })
  const fields = { name: 'Pump 17', tags: [{ tag_type: 'rfid' as const, value: 'E280' }] }
  for (const outcome of ['created', 'unchanged', 'unchanged'])
    expect((await whereabouts.upsertAsset('PUMP-17', fields)).outcome).toBe(outcome)
  expect((await whereabouts.upsertAsset('PUMP-17', { name: 'Pump' })).outcome).toBe('updated')
  expect(await whereabouts.saveInventory(['PUMP-17'], 'DOCK-1')).toMatchObject({
    count: 1,
    location_name: 'Dock 1',
  })
  expect(await listed(whereabouts.rows('/api/v1/assets'))).toMatchObject([
    { external_key: 'PUMP-17', name: 'Pump' },
  ])
  expect(await listed(whereabouts.rows('/api/v1/reports/asset-locations'))).toMatchObject([
    { asset_external_key: 'PUMP-17', location_external_key: 'DOCK-1' },
  ])
})

test('a list of many rows comes in pages', async () => {
  const whereabouts = open()
  for (let i = 1000; i < 1450; i += 1) await whereabouts.upsertAsset(`A-${i}`, { name: `Asset ${i}` })
  const keys = (await listed(whereabouts.rows('/api/v1/assets'))).map(({ external_key }) => external_key)
  expect(keys).toEqual(Array.from({ length: 450 }, (_, i) => `A-${i + 1000}`))
  expect(whereabouts.asked.filter((one) => one === 'GET /api/v1/assets')).toHaveLength(3)
})

test('a tag of another is 409, and names the owner', async () => {
  const whereabouts = open()
  const tags = [{ tag_type: 'ble' as const, value: 'AA' }]
  await whereabouts.upsertAsset('A', { name: 'A', tags })
  await expect(whereabouts.upsertAsset('B', { name: 'B', tags })).rejects.toMatchObject({
    status: 409,
    error: { conflict: { resource: 'asset', external_key: 'A' } },
  })
  expect((await whereabouts.upsertAsset('B', { name: 'B' })).outcome).toBe('created') // nothing of a refused request is kept
})

test('events come in their order, and a program that follows waits for the next', async () => {
  const whereabouts = open()
  const [seen, stop] = [[] as string[], new AbortController()]
  await whereabouts.upsertAsset('A', { name: 'A' })
  const store = { read: () => '0', write: () => undefined }
  const following = whereabouts.events.consume({
    store,
    signal: stop.signal,
    async onEvent({ type }) {
      seen.push(type)
      if (seen.length === 1) setImmediate(() => void whereabouts.upsertAsset('A', { name: 'Other' }))
      if (seen.length === 2) setImmediate(() => void whereabouts.upsertAsset('B', { name: 'B' }))
      if (seen.length === 3) stop.abort(new Error('enough'))
    },
  })
  await expect(following).rejects.toThrow('enough')
  expect(seen).toEqual(['asset.created', 'asset.updated', 'asset.created'])
  expect(whereabouts.asked.filter((one) => one.endsWith('/events')).length).toBeLessThanOrEqual(4)
})

test.for([
  ['/api/v1/movements', {}, 'GET /api/v1/movements'],
  ['/api/v1/assets', { query: { q: 'pump' } }, 'parameter "q" of this operation'],
] as const)('what it does not have is 400 and says so: %s', async ([path, params, what]) => {
  const { api } = open()
  const answer = await api.GET(path, { params })
  expect(() => unwrap(answer as never)).toThrow(`bad_request: The test double has no ${what}`)
})

test('two test doubles know nothing of each other', async () => {
  const [one, other] = [open(), open()]
  await one.upsertAsset('A', { name: 'A' })
  expect(await listed(other.rows('/api/v1/assets'))).toEqual([])
})
