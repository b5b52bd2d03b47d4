import { describe, expect, inject } from 'vitest'
import { connectReader } from '../system/readers.ts'
import { entry, enumEntry, required } from './support/entries.ts'
import { newAsset, newLocation, newTag, unique, type Given } from './scenarios/scenario.ts'
import { test } from './support/fixtures.ts'
import { succeed, type Organization } from './support/organization.ts'
import type { Api } from './support/api.ts'

/** A connected reader whose antenna 1 is assigned to a new location. */
async function openGate({ api, org, token }: Given) {
  const body = { reader_key: 'gate', name: 'Gate', format: 'canonical' }
  const { data } = (await succeed(api.call('createReader', { token: org.admin, body }))).body
  const location = await newLocation({ api, org, token })
  const point = { name: 'Gate', antenna: 1, location_id: location.id }
  const params = { reader_id: data.id ?? 0 }
  await succeed(api.call('createScanPoint', { params, token: org.admin, body: point }))
  const link = await connectReader(
    { urls: inject('urls') },
    await org.key({ scopes: ['scans:write'] }),
    'nats',
  )
  const read = (tag: { tag_type: string; value: string }) =>
    link.publish(org.id, 'gate', 'canonical', Buffer.from(JSON.stringify({ reads: [{ tag: { type: tag.tag_type, value: tag.value }, rssi_dbm: -48.5 }] }))) // oxfmt-ignore
  return { location, read, close: () => link.close() }
}

const listed = async (api: Api, org: Organization) =>
  (await api.call('listUnknownTags', { token: org.admin })).body.data

describe('D8.8 an unknown tag', () => {
  test('D8.8 is listed when read, can be claimed for an asset, and then its reads are scans', async ({
    api,
    newOrg,
  }) => {
    const org = await newOrg()
    const { token } = await org.key()
    const { location, read, close } = await openGate({ api, org, token })
    const tag = { tag_type: 'rfid', value: 'E28011606000020A1B2C3D4E' }
    await read(tag)
    const seen = { ...tag, reader_key: 'gate', antenna: 1, rssi_dbm: -48.5, reads: 1, ibeacon: null }
    await expect.poll(() => listed(api, org), { timeout: 15_000, interval: 200 }).toMatchObject([seen])
    expect((await api.call('listAssetLocations', { token })).body.total_count).toBe(0)
    const asset = await newAsset({ api, org, token })
    const claim = { token: org.admin, body: { ...tag, asset_external_key: asset.external_key } }
    const claimed = await api.call('claimUnknownTag', claim)
    expect(claimed.status).toBe(200)
    expect(claimed.body.data).toMatchObject({ ...tag, asset_id: asset.id, location_id: null })
    expect(await listed(api, org)).toEqual([])
    expect((await api.call('claimUnknownTag', claim)).body).toEqual(claimed.body)
    const { tags } = (await api.call('getAsset', { params: { asset_id: asset.id }, token })).body.data
    expect(tags).toEqual([{ id: claimed.body.data.id, ...tag, epc: null }])
    const report = async () => (await api.call('listAssetLocations', { token })).body.data
    await expect
      .poll(async () => (await read(tag), report()), { timeout: 15_000, interval: 500 })
      .toMatchObject([{ asset_id: asset.id, location_id: location.id }])
    expect(await listed(api, org)).toEqual([])
    await close()
  })

  test('D8.8 leaves the list when it is attached in another way', async ({ api, newOrg }) => {
    const org = await newOrg()
    const { token } = await org.key()
    const { location, read, close } = await openGate({ api, org, token })
    const tag = { tag_type: 'barcode', value: unique('tag') }
    await read(tag)
    await expect.poll(() => listed(api, org), { timeout: 15_000, interval: 200 }).toMatchObject([tag])
    const params = { location_id: location.id }
    await succeed(api.call('addLocationTag', { params, token, body: tag }))
    await expect.poll(() => listed(api, org), { timeout: 15_000, interval: 200 }).toEqual([])
    await close()
  })
})

describe('D10 a claim', () => {
  test('D10 that is invalid is refused field by field', async ({ api, org }) => {
    const fields = async (body: object) =>
      (await api.call('claimUnknownTag', { token: org.admin, body })).body.error.fields
    const tag = newTag()
    expect(await fields({})).toEqual([required('tag_type'), required('value'), required('asset_id')])
    expect(await fields({ ...tag, tag_type: 'nfc', asset_id: 1 })).toEqual([
      enumEntry('tag_type', ['rfid', 'ble', 'barcode']),
    ])
    const message = 'asset_id and location_external_key cannot be used together'
    expect(await fields({ ...tag, asset_id: 1, location_external_key: 'A' })).toEqual([
      entry('asset_id', 'ambiguous_fields', message),
      entry('location_external_key', 'ambiguous_fields', message),
    ])
    expect(await fields({ ...tag, location_external_key: 'NOWHERE' })).toEqual([
      entry('location_external_key', 'fk_not_found', 'location_external_key does not name a live location'),
    ])
  })

  test('D6.3 of a tag that is already attached is a conflict', async ({ api, org, token }) => {
    const tag = newTag()
    await newAsset({ api, org, token }, { tags: [tag] })
    const { id } = await newAsset({ api, org, token })
    const { error } = (
      await api.call('claimUnknownTag', { token: org.admin, body: { ...tag, asset_id: id } })
    ).body
    expect(error).toMatchObject({ type: 'conflict', detail: `tag rfid:${tag.value} already exists` })
  })
})
