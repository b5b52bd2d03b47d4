import {
  newAsset,
  newLocation,
  newReader,
  newTag,
  newUnknownTag,
  unique,
  type Given,
  type Scenario,
} from './scenario.ts'
import { MAX_MESSAGE_BYTES } from '@whereabouts/contracts/resources/tracking/scans'
import { UNKNOWN_ID } from '../support/rows.ts'
import { WINDOW } from '../support/snapshot.ts'

const message = { reader_key: 'dock-9', format: 'canonical' }
/** The token of a key that is bound to the reader of `message`. */
async function boundToken({ org }: Given): Promise<string> {
  const { reader_key } = message
  return (await org.key({ scopes: ['scans:write'], reader_key })).token
}

const named = { body: { name: 'Forklift' } }

async function attachedTag(given: Given, to: 'asset' | 'location') {
  const { id, tags } = await (to === 'asset' ? newAsset : newLocation)(given, { tags: [newTag()] })
  return { params: { asset_id: id, location_id: id, tag_id: tags[0]?.id ?? 0 } }
}

const newKey = () => ({ external_key: unique('KEY') })

/** A tag that is already attached. */
async function takenTag(given: Given) {
  const tag = newTag()
  await newAsset(given, { tags: [tag] })
  return tag
}

const assetPath = async (given: Given) => ({ params: { asset_id: (await newAsset(given)).id } })
const locationPath = async (given: Given) => ({ params: { location_id: (await newLocation(given)).id } })

async function save(given: Given) {
  const [asset, location] = [await newAsset(given), await newLocation(given)]
  return {
    body: { asset_identifiers: [asset.external_key], location_identifier: location.external_key },
  }
}

const scanPoint = async (given: Given) => ({
  params: { reader_id: await newReader(given) },
  body: { name: 'Antenna', antenna: 1 },
})

async function newScanPoint(given: Given) {
  const { params, body } = await scanPoint(given)
  const creating = given.api.call('createScanPoint', { params, body, token: given.org.admin })
  return { ...params, scan_point_id: (await creating).body.data.id }
}

/** A request under the name of another one (D12.8). */
const renamedRequest =
  (operationId: 'saveAssetBatch' | 'saveLocationBatch') =>
  async ({ api, token }: Given) => {
    const headers = { 'idempotency-key': unique('NAME') }
    const body = { items: [{ ...newKey(), name: 'First' }] }
    await api.call(operationId, { token, headers, body })
    return { headers, body: { items: [{ ...newKey(), name: 'Second' }] } }
  }

export const resourceScenarios: Record<string, Scenario> = {
  listAssets: { 200: () => ({}) },
  createAsset: {
    201: () => named,
    409: async (given) => {
      const { external_key } = await newAsset(given)
      return { body: { name: 'Forklift', external_key } }
    },
  },
  saveAssetBatch: {
    200: () => ({ body: { items: [{ ...newKey(), name: 'Forklift' }] } }),
    409: renamedRequest('saveAssetBatch'),
  },
  saveLocationBatch: {
    200: () => ({ body: { items: [{ ...newKey(), name: 'Dock' }] } }),
    409: renamedRequest('saveLocationBatch'),
  },
  getAsset: {
    200: assetPath,
    304: async (given) => ({ ...(await assetPath(given)), headers: { 'if-none-match': '*' } }),
  },
  updateAsset: {
    200: async (given) => ({
      params: { asset_id: (await newAsset(given)).id },
      body: { name: 'Forklift 2' },
    }),
    412: async (given) => ({ ...(await assetPath(given)), body: {}, headers: { 'if-match': '"other"' } }),
  },
  renameAsset: {
    200: async (given) => ({ params: { asset_id: (await newAsset(given)).id }, body: newKey() }),
    409: async (given) => {
      const { external_key } = await newAsset(given)
      return { params: { asset_id: (await newAsset(given)).id }, body: { external_key } }
    },
  },
  previewAssetRestore: { 200: async (given) => ({ params: { asset_id: (await newAsset(given)).id } }) },
  restoreAsset: {
    200: async (given) => ({ params: { asset_id: (await newAsset(given)).id }, body: {} }),
    409: async (given) => ({ params: { asset_id: (await newAsset(given)).id }, body: newKey() }),
  },
  deleteAsset: {
    204: assetPath,
    412: async (given) => ({ ...(await assetPath(given)), headers: { 'if-match': '"other"' } }),
  },

  listLocations: { 200: () => ({}) },
  createLocation: {
    201: () => named,
    409: async (given) => {
      const { external_key } = await newLocation(given)
      return { body: { name: 'Dock', external_key } }
    },
  },
  getLocation: {
    200: locationPath,
    304: async (given) => ({ ...(await locationPath(given)), headers: { 'if-none-match': '*' } }),
  },
  updateLocation: {
    200: async (given) => ({
      params: { location_id: (await newLocation(given)).id },
      body: { name: 'Dock 2' },
    }),
    412: async (given) => ({ ...(await locationPath(given)), body: {}, headers: { 'if-match': '"other"' } }),
    409: async (given) => {
      const parent = await newLocation(given)
      const { id: parent_id } = await newLocation(given, { parent_id: parent.id })
      return { params: { location_id: parent.id }, body: { parent_id } }
    },
  },
  renameLocation: {
    200: async (given) => ({ params: { location_id: (await newLocation(given)).id }, body: newKey() }),
    409: async (given) => {
      const { external_key } = await newLocation(given)
      return { params: { location_id: (await newLocation(given)).id }, body: { external_key } }
    },
  },
  previewLocationRestore: { 200: locationPath },
  restoreLocation: {
    200: async (given) => ({ params: { location_id: (await newLocation(given)).id }, body: {} }),
    409: async (given) => ({ params: { location_id: (await newLocation(given)).id }, body: newKey() }),
  },
  deleteLocation: {
    204: locationPath,
    412: async (given) => ({ ...(await locationPath(given)), headers: { 'if-match': '"other"' } }),
    409: async (given) => {
      const parent = await newLocation(given)
      await newLocation(given, { parent_id: parent.id })
      return { params: { location_id: parent.id } }
    },
  },

  listLocationBranch: { 200: () => ({}), 404: () => ({ query: { parent_id: UNKNOWN_ID } }) },
  listLocationAncestors: { 200: locationPath },
  listLocationChildren: { 200: locationPath },
  listLocationDescendants: { 200: locationPath },

  addAssetTag: {
    201: async (given) => ({ params: { asset_id: (await newAsset(given)).id }, body: newTag() }),
    409: async (given) => ({ params: { asset_id: (await newAsset(given)).id }, body: await takenTag(given) }),
  },
  removeAssetTag: { 204: (given) => attachedTag(given, 'asset') },
  addLocationTag: {
    201: async (given) => ({ params: { location_id: (await newLocation(given)).id }, body: newTag() }),
    409: async (given) => ({
      params: { location_id: (await newLocation(given)).id },
      body: await takenTag(given),
    }),
  },
  removeLocationTag: { 204: (given) => attachedTag(given, 'location') },

  lookUpValues: { 200: async (given) => ({ body: { values: [(await newAsset(given)).external_key] } }) },

  listAssetHistory: { 200: async (given) => ({ params: { asset_id: (await newAsset(given)).id } }) },
  listSightings: { 200: async (given) => ({ params: { asset_id: (await newAsset(given)).id } }) },
  listAssetLocations: { 200: () => ({}) },
  listUnsteadyAssets: { 200: () => ({}) },
  listOccupancy: { 200: async (given) => ({ query: { location_id: (await newLocation(given)).id } }) },
  getFloor: { 200: () => ({}) },
  listMovements: { 200: () => ({}) },
  listVisits: { 200: () => ({}) },
  reportVisits: { 200: () => ({ query: { group_by: 'day' } }) },
  listLocationUses: { 200: () => ({ query: WINDOW }) },
  playMovements: { 200: () => ({ query: WINDOW }) },
  summarizeMovements: { 200: () => ({}) },
  listRecentMovements: { 200: () => ({}) },
  listCurrentLocations: { 200: () => ({}) },
  saveInventory: {
    201: save,
    409: async (given) => {
      const headers = { 'idempotency-key': unique('NAME') }
      await given.api.call('saveInventory', { token: given.token, headers, ...(await save(given)) })
      return { headers, ...(await save(given)) }
    },
  },
  saveLegacyInventory: { 201: save },

  eraseAssetHistory: { 200: async (given) => ({ ...(await assetPath(given)), body: {} }) },
  getPlacement: { 200: ({ org }) => ({ params: { org_id: org.id } }) },
  previewPlacement: {
    200: ({ org }) => ({ params: { org_id: org.id }, body: { settings: { margin_db: 6 }, hours: 1 } }),
    429: 'needs three previews at once: placement-preview.int.test.ts of tracking starts them',
  },
  updatePlacement: { 200: ({ org }) => ({ params: { org_id: org.id }, body: { margin_db: 0 } }) },
  listReaders: { 200: () => ({}) },
  createReader: {
    201: () => ({ body: { reader_key: unique('r'), name: 'Gate', format: 'zebra' } }),
    409: async ({ api, org }) => {
      const body = { reader_key: unique('r'), name: 'Gate', format: 'zebra' }
      await api.call('createReader', { token: org.admin, body })
      return { body }
    },
  },
  updateReader: {
    200: async (given) => ({ params: { reader_id: await newReader(given) }, body: { name: 'South gate' } }),
  },
  getReader: { 200: async (given) => ({ params: { reader_id: await newReader(given) } }) },
  deleteReader: { 204: async (given) => ({ params: { reader_id: await newReader(given) } }) },
  listReaderHours: { 200: async (given) => ({ params: { reader_id: await newReader(given) } }) },
  listScanPoints: { 200: async (given) => ({ params: { reader_id: await newReader(given) } }) },
  createScanPoint: {
    201: scanPoint,
    409: async (given) => {
      const call = await scanPoint(given)
      await given.api.call('createScanPoint', { ...call, token: given.org.admin })
      return call
    },
  },
  updateScanPoint: {
    200: async (given) => ({ params: await newScanPoint(given), body: { name: 'South antenna' } }),
    409: async (given) => {
      const params = await newScanPoint(given)
      const body = { name: 'Other', antenna: 2 }
      await given.api.call('createScanPoint', { params, body, token: given.org.admin })
      return { params, body: { antenna: 2 } }
    },
  },
  deleteScanPoint: { 204: async (given) => ({ params: await newScanPoint(given) }) },
  listReaderPresets: { 200: () => ({}) },
  listReaderMessages: { 200: async (given) => ({ params: { reader_id: await newReader(given) } }) },
  streamReads: {
    200: async (given) => ({ params: { reader_id: await newReader(given) } }),
    429: 'needs eleven streams at once: live.test.ts opens those of the live feed, which share the limit',
  },
  decodeReaderMessage: {
    200: async (given) => ({
      params: { reader_id: await newReader(given) },
      body: { message: { reads: [] }, format: 'canonical' },
    }),
  },
  sendReaderMessage: {
    200: async (given) => ({
      params: message,
      query: { check: true },
      body: '{"reads":[]}',
      token: await boundToken(given),
    }),
    202: () => ({ params: message, body: '{"reads":[]}' }),
    400: () => ({ params: { ...message, format: 'a.b' }, body: '{}' }),
    413: () => ({ params: message, body: ' '.repeat(MAX_MESSAGE_BYTES + 1) }),
    415: () => ({ params: message, body: '{}', headers: { 'content-encoding': 'br' } }),
    429: 'a hundred messages at once: scans.int.test.ts of tracking sends them',
  },
  listMessagesOfKey: {
    200: async (given) => ({
      params: { reader_key: message.reader_key },
      token: await boundToken(given),
    }),
    429: 'needs twenty requests at once: messages-of-key.int.test.ts of tracking sends them',
  },
  sendTestRead: {
    202: async (given) => ({
      params: { reader_id: await newReader(given) },
      body: { tag_type: 'rfid', value: 'E280' },
    }),
  },

  listUnknownTags: { 200: () => ({}) },
  claimUnknownTag: {
    200: async (given) => ({ body: { ...newTag(), asset_id: (await newAsset(given)).id } }),
    409: async (given) => {
      const { id: asset_id } = await newAsset(given)
      return { body: { ...(await takenTag(given)), asset_id } }
    },
  },
  deleteUnknownTag: { 204: async (given) => ({ params: { unknown_tag_id: await newUnknownTag(given) } }) },
}
