import { newAsset, newLocation, newReader, newTag, unique, type Given, type Scenario } from './scenario.ts'

const named = { body: { name: 'Forklift' } }

async function attachedTag(given: Given, to: 'asset' | 'location') {
  const { id, tags } = await (to === 'asset' ? newAsset : newLocation)(given, { tags: [newTag()] })
  return { params: { asset_id: id, location_id: id, tag_id: tags[0]?.id ?? 0 } }
}

/** A tag that is on something already. */
async function takenTag(given: Given) {
  const tag = newTag()
  await newAsset(given, { tags: [tag] })
  return tag
}

const scanPoint = async (given: Given) => ({
  params: { reader_id: await newReader(given) },
  body: { name: 'Antenna', antenna: 1 },
})

export const resourceScenarios: Record<string, Scenario> = {
  listAssets: { 200: () => ({}) },
  createAsset: {
    201: () => named,
    409: async (given) => {
      const { external_key } = await newAsset(given)
      return { body: { name: 'Forklift', external_key } }
    },
  },
  getAsset: { 200: async (given) => ({ params: { asset_id: (await newAsset(given)).id } }) },
  deleteAsset: { 204: async (given) => ({ params: { asset_id: (await newAsset(given)).id } }) },

  listLocations: { 200: () => ({}) },
  createLocation: {
    201: () => named,
    409: async (given) => {
      const { external_key } = await newLocation(given)
      return { body: { name: 'Dock', external_key } }
    },
  },
  getLocation: { 200: async (given) => ({ params: { location_id: (await newLocation(given)).id } }) },
  deleteLocation: {
    204: async (given) => ({ params: { location_id: (await newLocation(given)).id } }),
    409: async (given) => {
      const parent = await newLocation(given)
      await newLocation(given, { parent_id: parent.id })
      return { params: { location_id: parent.id } }
    },
  },

  attachAssetTag: {
    201: async (given) => ({ params: { asset_id: (await newAsset(given)).id }, body: newTag() }),
    409: async (given) => ({ params: { asset_id: (await newAsset(given)).id }, body: await takenTag(given) }),
  },
  detachAssetTag: { 204: (given) => attachedTag(given, 'asset') },
  attachLocationTag: {
    201: async (given) => ({ params: { location_id: (await newLocation(given)).id }, body: newTag() }),
    409: async (given) => ({
      params: { location_id: (await newLocation(given)).id },
      body: await takenTag(given),
    }),
  },
  detachLocationTag: { 204: (given) => attachedTag(given, 'location') },

  getAssetHistory: { 200: async (given) => ({ params: { asset_id: (await newAsset(given)).id } }) },
  listAssetLocations: { 200: () => ({}) },

  listReaders: { 200: () => ({}) },
  createReader: {
    201: () => ({ body: { reader_key: unique('r'), name: 'Gate', format: 'zebra' } }),
    409: async ({ api, org }) => {
      const body = { reader_key: unique('r'), name: 'Gate', format: 'zebra' }
      await api.call('createReader', { token: org.admin, body })
      return { body }
    },
  },
  deleteReader: { 204: async (given) => ({ params: { reader_id: await newReader(given) } }) },
  listScanPoints: { 200: async (given) => ({ params: { reader_id: await newReader(given) } }) },
  createScanPoint: {
    201: scanPoint,
    409: async (given) => {
      const call = await scanPoint(given)
      await given.api.call('createScanPoint', { ...call, token: given.org.admin })
      return call
    },
  },
  deleteScanPoint: {
    204: async (given) => {
      const { params, body } = await scanPoint(given)
      const creating = given.api.call('createScanPoint', { params, body, token: given.org.admin })
      return { params: { ...params, scan_point_id: (await creating).body.data.id } }
    },
  },
}
