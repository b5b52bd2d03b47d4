import { randomBytes } from 'node:crypto'
import { expect, inject } from 'vitest'
import { connectReader } from '../../system/readers.ts'
import type { Api } from './api.ts'
import { catalogOf } from './catalog.ts'
import { newOrganization } from './organization.ts'

const MINUTE_MS = 60_000

/**
 * An organization with scans from three hours ago. `asset` was seen at the dock at 0, 1 and 2 minutes, on the shelf
 * at 5, and without a location at 9; `other` on the shelf at 3. Dock and shelf are sub-locations of the hall.
 */
export async function scannedJourney(api: Api) {
  const mark = randomBytes(5).toString('hex').toUpperCase()
  const org = await newOrganization(api, `Journey ${mark}`)
  const [{ token }, readerKey] = [await org.key(), await org.key({ scopes: ['scans:write'] })]
  const { asset: newAsset, location } = catalogOf(api, token)
  const hall = await location({ name: 'Hall', external_key: `HALL-${mark}` })
  const inside = (name: string) => location({ name, external_key: `${name}-${mark}`, parent_id: hall.id })
  const [dock, shelf] = [await inside('DOCK'), await inside('SHELF')]
  const thing = (name: string) =>
    newAsset({
      name,
      valid_from: '2020-01-01T00:00:00Z',
      external_key: `${name}-${mark}`,
      tags: [{ tag_type: 'barcode', value: `${name} ${mark}` }],
    })
  const [asset, other] = [await thing('FORKLIFT'), await thing('PALLET')]
  const start = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 180 * MINUTE_MS + 10_123
  const at = (minute: number) => new Date(start + minute * MINUTE_MS).toISOString()

  const reader = { reader_key: `gate-${mark}`, name: 'Gate', format: 'canonical' }
  const made = await api.call('createReader', { token: org.admin, body: reader })
  const params = { reader_id: made.body.data.id ?? 0 }
  await api.call('createScanPoint', { token: org.admin, params, body: { antenna: 1, name: 'nowhere' } })
  const link = await connectReader({ urls: inject('urls') }, readerKey, 'nats')
  const read = (name: string, minute: number, place?: { external_key: string }) => ({
    tag: { type: 'barcode', value: `${name} ${mark}` },
    antenna: 1,
    read_at: at(minute),
    ...(place && { location: place.external_key }),
  })
  const reads = [
    ...[0, 1, 2].map((minute) => read('FORKLIFT', minute, dock)),
    read('FORKLIFT', 5, shelf),
    read('FORKLIFT', 9),
    read('PALLET', 3, shelf),
  ]
  await link.publish(org.id, reader.reader_key, 'canonical', Buffer.from(JSON.stringify({ reads })))
  await link.close()
  const rows = async () =>
    (await api.call('listAssetHistory', { token, params: { asset_id: asset.id } })).body.total_count
  await expect.poll(rows, { timeout: 10_000, interval: 200 }).toBe(5)
  return { org, token: (await org.key()).token, asset, other, hall, dock, shelf, at }
}
