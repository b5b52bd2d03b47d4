import { unwrap } from '@whereabouts/client/client'
import { expect } from 'vitest'
import { importAssets, PATIENTLY } from '../faults/rolling/replicated-system.ts'
import {
  historyRows,
  newLocation,
  newOrganization,
  newReader,
  reportRows,
  type Organization,
} from '../system/organization.ts'
import { connectReader, type Transport } from '../system/readers.ts'
import type { StackPlace } from '../system/replicas.ts'

/** At most a page, so that one request compares all rows. */
const ASSETS = 150
/** Every asset was seen at the first, and every second one later at the next. */
const PLACES = ['DOCK', 'SHELF']
const SAMPLE = 10
const HOUR = 3_600_000

/** An organization with assets that moved, which the traffic leaves alone. */
export async function newSite(place: StackPlace, name: string, transport: Transport): Promise<Organization> {
  const org = await newOrganization(place, name)
  for (const key of PLACES) {
    const locationId = await newLocation(org, key, key)
    await newReader(org, { key: key.toLowerCase(), format: 'canonical', locationId, antennas: 1 })
  }
  const tags = await importAssets({ place, org }, ASSETS)
  const reader = await connectReader(place, org.readerKey, transport)
  for (const [index, key] of PLACES.entries()) {
    const seen = tags.filter((_, i) => i % (index + 1) === 0)
    const read_at = new Date(Date.now() - (PLACES.length - index) * HOUR).toISOString()
    const reads = seen.map((value) => ({ tag: { type: 'barcode', value }, antenna: 1, read_at }))
    await reader.publish(org.id, key.toLowerCase(), 'canonical', Buffer.from(JSON.stringify({ reads })))
    await expect.poll(() => countAt(org, key), PATIENTLY).toBe(seen.length)
  }
  await reader.close()
  return org
}

async function countAt(org: Organization, key: string): Promise<number> {
  const rows = await reportRows(org)
  return rows.filter(({ location_external_key: at }) => at === key).length
}

/** What the API tells about a site: all rows of the report, the assets, and a sample by id with its history. */
export async function tellAll(org: Organization) {
  const query = { limit: 200, sort: 'external_key' }
  const assets = unwrap(await org.integrator.GET('/api/v1/assets', { params: { query } }))
  const locations = unwrap(await org.integrator.GET('/api/v1/locations', { params: { query } }))
  const sample = assets.data.filter((_, index) => index % Math.ceil(ASSETS / SAMPLE) === 0)
  return {
    report: await reportRows(org),
    assets: assets.data,
    assetCount: assets.total_count,
    locations: locations.data,
    byId: await Promise.all(
      sample.map(async ({ id }) => ({
        asset: unwrap(
          await org.integrator.GET('/api/v1/assets/{asset_id}', { params: { path: { asset_id: id } } }),
        ).data,
        history: await historyRows(org, id),
      })),
    ),
  }
}
