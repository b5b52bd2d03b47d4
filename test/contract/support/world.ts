import { randomBytes } from 'node:crypto'
import { expect, inject } from 'vitest'
import { connectReader } from '../../system/readers.ts'
import type { Api } from './api.ts'
import { finishedExport } from './exports.ts'
import { finishedImport } from './imports.ts'
import { newOrganization, succeed, type Key, type Organization } from './organization.ts'

/** An organization with one of everything, under unique keys and names. */
export type World = {
  org: Organization
  /** With every scope. */
  key: Key
  readerKey: Key
  asset: { id: number; external_key: string; name: string; tagId: number; tagValue: string }
  location: { id: number; external_key: string; name: string; tagId: number; tagValue: string }
  /** A child of `location`. */
  child: { id: number; external_key: string }
  deletedLocationId: number
  reader: { id: number; reader_key: string; scanPointId: number }
  /** Of an unknown tag that the reader read. */
  unknownTagId: number
  ruleId: number
  /** Open: the scan raised it. */
  alertId: number
  webhookId: number
  /** Of a further webhook. */
  endpointId: number
  /** A finished dry run. */
  importId: number
  /** Done. */
  exportId: number
  /** Of the image of a floor plan, whose bytes no other organization has. */
  imageHash: string
  /** Open, for an administrator. */
  invitationId: number
}

/** Creates everything through the public API. The scan comes over the broker and is in report and history. */
export async function newWorld(api: Api): Promise<World> {
  const mark = randomBytes(6).toString('hex').toUpperCase()
  const org = await newOrganization(api, `World ${mark}`)
  const [key, readerKey] = [await org.key(), await org.key({ name: 'readers', scopes: ['scans:write'] })]
  const location = await newLocation(api, key.token, mark)
  const asset = await newAsset(api, key.token, mark, location.id)
  const below = { name: `Shelf ${mark}`, external_key: `SHELF-${mark}`, parent_id: location.id }
  const child = (await succeed(api.call('createLocation', { token: key.token, body: below }))).body.data
  const deletedLocationId = await newDeletedLocation(api, key.token, mark)
  const reader = await newReader(api, org.admin, `gate-${mark}`, location.id)
  const webhook = { url: `https://receiver.example/${mark}`, enabled: false } // disabled, so that its log does not change
  const webhookId = (await succeed(api.call('createWebhook', { token: org.admin, body: webhook }))).body.data
    .id
  const adding = api.call('createWebhookEndpoint', { token: org.admin, body: webhook })
  const endpointId = (await succeed(adding)).body.data.id
  const importId = (await finishedImport(api, org.admin, 'assets', `name\nCrate ${mark}\n`, true)).id
  const exportId = (await finishedExport(api, org.admin, { dataset: 'assets', format: 'csv' })).id
  const invitationId = await newInvitation(api, org, mark)
  const imageHash = await newFloorPlan(api, org.admin, { place: location.id, child: child.id, mark })
  const things = {
    asset,
    location,
    child,
    deletedLocationId,
    reader,
    webhookId,
    endpointId,
    importId,
    exportId,
    imageHash,
    invitationId,
  }
  const made = { org, key, readerKey, ...things }
  const ruleId = await newRule(api, key.token, { mark, location })
  const unknownTagId = await scan(api, made)
  return { ...made, unknownTagId, ruleId, alertId: await alertOf(api, org, ruleId) }
}

async function newLocation(api: Api, token: string, mark: string) {
  const tagValue = `PLATE-${mark}`
  const tags = [{ tag_type: 'barcode', value: tagValue }]
  const body = { name: `Dock ${mark}`, external_key: `DOCK-${mark}`, tags }
  const {
    id,
    external_key,
    name,
    tags: made,
  } = (await succeed(api.call('createLocation', { token, body }))).body.data
  return { id, external_key, name, tagValue, tagId: made[0]?.id ?? 0 }
}

async function newDeletedLocation(api: Api, token: string, mark: string): Promise<number> {
  const body = { name: `Gone ${mark}`, external_key: `GONE-${mark}` }
  const { id } = (await succeed(api.call('createLocation', { token, body }))).body.data
  await succeed(api.call('deleteLocation', { token, params: { location_id: id } }))
  return id
}

async function newAsset(api: Api, token: string, mark: string, home_location_id: number) {
  const tagValue = `BOX-${mark}`
  const tags = [{ tag_type: 'barcode', value: tagValue }]
  const body = { name: `Box ${mark}`, external_key: `BOX-${mark}`, home_location_id, tags }
  const {
    id,
    external_key,
    name,
    tags: made,
  } = (await succeed(api.call('createAsset', { token, body }))).body.data
  return { id, external_key, name, tagValue, tagId: made[0]?.id ?? 0 }
}

async function newFloorPlan(
  api: Api,
  token: string,
  { place, child, mark }: { place: number; child: number; mark: string },
): Promise<string> {
  const zones = [{ location_id: child, points: [[0, 0], [9, 0], [9, 9]] }] // oxfmt-ignore
  await succeed(
    api.call('saveFloorPlan', { token, params: { place }, body: { zones, readers: [], version: 0 } }),
  )
  const body = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><title>${mark}</title></svg>`
  const headers = { 'content-type': 'image/svg+xml' }
  const saving = api.call('saveFloorImage', { token, params: { place }, body, headers })
  return (await succeed(saving)).body.data.image?.hash ?? ''
}

async function newReader(api: Api, token: string, reader_key: string, location_id: number) {
  const body = { reader_key, name: reader_key, format: 'canonical' }
  const id = (await succeed(api.call('createReader', { token, body }))).body.data.id ?? 0
  const point = { antenna: 1, name: `${reader_key} antenna`, location_id }
  const creating = api.call('createScanPoint', { params: { reader_id: id }, token, body: point })
  return { id, reader_key, scanPointId: (await succeed(creating)).body.data.id }
}

async function newInvitation(api: Api, { id, admin }: Organization, mark: string) {
  const body = { email: `${mark}@example.com`, role: 'admin' }
  const inviting = api.call('createInvitation', { params: { org_id: id }, token: admin, body })
  return (await succeed(inviting)).body.data.id
}

async function newRule(
  api: Api,
  token: string,
  { mark, location }: { mark: string; location: { id: number } },
) {
  const body = { name: `Arrivals ${mark}`, kind: 'entered', scope: { location_ids: [location.id] } }
  return (await succeed(api.call('createRule', { token, body }))).body.data.id
}

/** The alert of a rule, once its event is in the feed too. */
async function alertOf(api: Api, { admin: token }: Organization, rule_id: number): Promise<number> {
  const list = async () => (await api.call('listAlerts', { token, query: { rule_id } })).body.data
  await expect.poll(list, { timeout: 10_000 }).toHaveLength(1)
  const events = async () =>
    (await api.call('listEvents', { token, query: { type: 'alert.raised' } })).body.data
  await expect.poll(events, { timeout: 10_000 }).toHaveLength(1)
  return (await list())[0]?.id ?? 0
}

/** The reader sees the asset's tag at the location, and an unknown tag. Returns the id of the unknown tag. */
async function scan(api: Api, world: Omit<World, 'unknownTagId' | 'ruleId' | 'alertId'>): Promise<number> {
  const { org, key, readerKey, asset, reader } = world
  const link = await connectReader({ urls: inject('urls') }, readerKey, 'nats')
  const read = { tag: { type: 'barcode', value: asset.tagValue }, antenna: 1 }
  const stranger = { tag: { type: 'barcode', value: `NOBODY-${asset.tagValue}` }, antenna: 1 }
  const bytes = Buffer.from(JSON.stringify({ reads: [read, stranger] }))
  await link.publish(org.id, reader.reader_key, 'canonical', bytes)
  await link.close()
  const rows = async () => (await api.call('listAssetLocations', { token: key.token })).body.total_count
  await expect.poll(rows, { timeout: 10_000, interval: 200 }).toBe(1)
  // The counters of the reader are written a little later; from then on nothing changes by itself.
  const readers = async () => (await api.call('listReaders', { token: org.admin })).body.data
  await expect.poll(readers, { timeout: 10_000 }).toMatchObject([{ health: { messages: 1 } }])
  const unknown = async () => (await api.call('listUnknownTags', { token: org.admin })).body.data
  await expect.poll(unknown, { timeout: 10_000 }).toHaveLength(1)
  return (await unknown())[0]?.id ?? 0
}
