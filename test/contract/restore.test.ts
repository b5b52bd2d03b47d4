import { expect, inject } from 'vitest'
import { connectReader, type ReaderLink } from '../system/readers.ts'
import type { Api } from './support/api.ts'
import { test } from './support/fixtures.ts'
import { newWorld, type World } from './support/world.ts'

const SOON = { timeout: 10_000, interval: 100 }

const history = (api: Api, { org, asset }: World) =>
  api.call('listAssetHistory', { token: org.admin, params: { asset_id: asset.id } })
const report = async (api: Api, { org, asset }: World, query: object = {}) =>
  (await api.call('listAssetLocations', { token: org.admin, query: { asset_id: asset.id, ...query } })).body

const asset = ({ asset: { id } }: World) => ({ asset_id: id })
const location = ({ location: { id } }: World) => ({ location_id: id })

/** Reads the tag of the asset, as in another minute, so that each read is a row of the history. */
const read = (
  reader: ReaderLink,
  { org, reader: { reader_key }, asset: { tagValue } }: World,
  minutesAgo: number,
) =>
  reader.publish(
    org.id,
    reader_key,
    'canonical',
    Buffer.from(
      JSON.stringify({
        reads: [
          {
            tag: { type: 'barcode', value: tagValue },
            antenna: 1,
            read_at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
          },
        ],
      }),
    ),
  )

test('D4.10 D8.9 a restored asset has its history, report row and tag again, and its reads count', async ({
  api,
}) => {
  const world = await newWorld(api)
  const token = world.org.admin
  const before = { history: (await history(api, world)).body, report: await report(api, world) }
  expect(before.history.total_count).toBe(1)
  expect((await api.call('deleteAsset', { token, params: asset(world) })).status).toBe(204)
  expect((await history(api, world)).status).toBe(404)
  await expect.poll(async () => (await report(api, world)).total_count, SOON).toBe(0)

  const restored = await api.call('restoreAsset', { token, params: asset(world), body: {} })
  expect(restored.body).toMatchObject({
    data: { external_key: world.asset.external_key, deleted_at: null, tags: [{ id: world.asset.tagId }] },
    tags_not_restored: [],
  })
  expect((await history(api, world)).body).toEqual(before.history)
  await expect.poll(() => report(api, world), SOON).toEqual(before.report)
  expect((await report(api, world, { q: world.asset.tagValue })).total_count).toBe(1)

  const reader = await connectReader({ urls: inject('urls') }, world.readerKey, 'nats')
  // A read within a second after a deletion may have found the tag unknown; a reader reads it again.
  await expect
    .poll(async () => {
      await read(reader, world, 5)
      return (await history(api, world)).body.total_count
    }, SOON)
    .toBe(2)
  await reader.close()
})

test('D8.3 a restored location has its key in history and report again', async ({ api }) => {
  const world = await newWorld(api)
  const token = world.org.admin
  const before = await report(api, world)
  expect(before.data).toMatchObject([{ location_external_key: world.location.external_key }])
  await api.call('deleteLocation', { token, params: { location_id: world.child.id } })
  expect((await api.call('deleteLocation', { token, params: location(world) })).status).toBe(204)
  await expect
    .poll(async () => (await report(api, world)).data, SOON)
    .toMatchObject([{ location_id: world.location.id, location_external_key: null }])
  const preview = await api.call('previewLocationRestore', { token, params: location(world) })
  expect(preview.body.data).toMatchObject({ parent: null, tags: [{ held_by: null }], key_held_by: null })

  expect((await api.call('restoreLocation', { token, params: location(world), body: {} })).status).toBe(200)
  await expect.poll(() => report(api, world), SOON).toEqual(before)
  const child = { location_id: world.child.id }
  const below = await api.call('restoreLocation', { token, params: child, body: {} })
  expect(below.body.data).toMatchObject({ parent_external_key: world.location.external_key })
})

test('D10 an export says where assets were seen, as the report does', async ({ api }) => {
  const world = await newWorld(api)
  const [row] = (await report(api, world)).data
  const query = { q: world.asset.name, sort: '-name' }
  const { text } = await api.call('exportAssets', { token: world.org.admin, query })
  const [head, line, end] = text.split('\r\n')
  expect(head).toMatch(/,location_external_key,location_name,asset_last_seen$/)
  expect(line).toContain(`,${world.location.external_key},${world.location.name},${row?.asset_last_seen}`)
  expect(end).toBe('')
})
