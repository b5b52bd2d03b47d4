import { unwrap } from '@whereabouts/client/client'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { asOwner } from '../bench/load/database.ts'
import { newOrganization, type Organization, type Tag } from '../system/organization.ts'

const DAY_MS = 86_400_000

/** What the recipes find: an organization with locations, and assets that were seen there. Ids by external key. */
export type Scene = { org: Organization; ids: Record<string, number> }

/**
 * FORKLIFT-7 and PALLET-1 are in the hall now. Eight days ago all were in the yard, where PALLET-2 was seen every minute for
 * the last time.
 */
export async function prepareScene(stack: Stack): Promise<Scene> {
  const org = await newOrganization(stack, 'Recipes')
  const ids: Record<string, number> = {}
  for (const [external_key, name, parent_external_key] of [
    ['HALL-1', 'Hall 1', null],
    ['HALL-1-DOCK', 'Dock', 'HALL-1'],
    ['HALL-1-SHELF', 'Shelf', 'HALL-1'],
    ['YARD', 'Yard', null],
  ] as const) {
    const body = { external_key, name, parent_external_key }
    ids[external_key] = unwrap(await org.integrator.POST('/api/v1/locations', { body })).data.id
  }
  const tags: Tag[] = [{ tag_type: 'rfid', value: 'E28011606000020A1B2C3D4E' }]
  for (const [external_key, name, location_identifier] of [
    ['FORKLIFT-7', 'Forklift 7', 'HALL-1-DOCK'],
    ['PALLET-1', 'Pallet 1', 'HALL-1-SHELF'],
    ['PALLET-2', 'Pallet 2', 'YARD'],
  ] as const) {
    const fields = { valid_from: '2020-01-01T00:00:00Z', ...(external_key === 'FORKLIFT-7' && { tags }) }
    const asset = await org.integrator.POST('/api/v1/assets', { body: { external_key, name, ...fields } })
    ids[external_key] = unwrap(asset).data.id
    const save = { asset_identifiers: [external_key], location_identifier }
    unwrap(await org.integrator.POST('/api/v1/inventory/save', { body: save }))
  }
  const scene = { org, ids }
  const lastWeek = new Date(Date.now() - 8 * DAY_MS)
  await addSighting(stack, scene, 'FORKLIFT-7', 'YARD', lastWeek)
  await addSighting(stack, scene, 'PALLET-1', 'YARD', lastWeek)
  await asOwner(stack, 'tracking', (client) => client.query(LAST_SEEN, [org.id, ids['PALLET-2'], lastWeek]))
  await addSighting(stack, scene, 'PALLET-2', 'YARD', lastWeek, 450)
  return scene
}

/** Yesterday PALLET-1 came to the dock at 8:00, and to the shelf at 17:00. */
export async function addYesterday(stack: Stack, scene: Scene): Promise<void> {
  const midnight = new Date(Date.now() - DAY_MS).setUTCHours(0, 0, 0, 0)
  const at = (hour: number) => new Date(midnight + hour * 3_600_000)
  await addSighting(stack, scene, 'PALLET-1', 'HALL-1-DOCK', at(8))
  await addSighting(stack, scene, 'PALLET-1', 'HALL-1-SHELF', at(17))
}

/** Fills history as of long ago, which no reader can: by SQL. One row for each of the last `minutes` until `at`. */
function addSighting(stack: Stack, { org, ids }: Scene, asset: string, place: string, at: Date, minutes = 1) {
  return asOwner(stack, 'tracking', async (client) => {
    const first = new Date(at.getTime() - (minutes - 1) * 60_000)
    await client.query(PACK_NOTHING)
    for (const instant of [first, at]) await client.query(MAKE_DAY, [instant.toISOString().slice(0, 10)])
    await client.query(SIGHTINGS, [org.id, ids[asset], ids[place], first, at])
  })
}

/** Rows of days that are packed would not count. */
const PACK_NOTHING = `update history_packing set starts_at = 'infinity'`
const MAKE_DAY = 'select make_history_day($1)'
const SIGHTINGS = `insert into scan (org_id, asset_id, location_id, minute, observed_at)
  select $1, $2, $3, date_trunc('minute', t), t from generate_series($4::timestamptz, $5, '1 minute') as t`
/** As if the save had been then. */
const LAST_SEEN = `with gone as (delete from scan where org_id = $1 and asset_id = $2),
  moved as (delete from movement where org_id = $1 and asset_id = $2)
  update position set minute = date_trunc('minute', $3::timestamptz), observed_at = $3, dwell_started_at = $3
  where org_id = $1 and asset_id = $2`
