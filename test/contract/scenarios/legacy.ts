import { newAsset, newLocation, newTag, unique, type Given, type Scenario } from './scenario.ts'

/** Legacy rows, on resources that the current vocabulary created. */

const assetPath = async (given: Given, body: object = {}) => ({
  params: { identifier: (await newAsset(given, body)).external_key },
})
const locationPath = async (given: Given, body: object = {}) => ({
  params: { identifier: (await newLocation(given, body)).external_key },
})

async function attached(given: Given, to: typeof newAsset | typeof newLocation) {
  const { external_key, tags } = await to(given, { tags: [newTag()] })
  return { params: { identifier: external_key, tag_id: tags[0]?.id ?? 0 } }
}

/** An identifier that is already attached. */
async function takenIdentifier(given: Given) {
  const { tag_type: type, value } = newTag()
  await newAsset(given, { tags: [{ tag_type: type, value }] })
  return { type, value }
}

const newDock = () => ({ identifier: unique('DOCK'), name: 'Dock' })

export const legacyScenarios: Record<string, Scenario> = {
  listLegacyAssets: {
    200: async (given) => ({ query: { location: (await newLocation(given)).external_key } }),
  },
  createLegacyAsset: {
    201: async (given) => ({
      body: {
        name: 'Forklift',
        identifiers: [{ value: unique('tag') }],
        current_location: (await newLocation(given)).external_key,
      },
    }),
    409: async (given) => ({
      body: { name: 'Forklift', identifier: (await newAsset(given)).external_key },
    }),
  },
  getLegacyAsset: { 200: assetPath },
  updateLegacyAsset: {
    200: async (given) => ({ ...(await assetPath(given)), body: { identifier: unique('ASSET') } }),
    409: async (given) => ({
      ...(await assetPath(given)),
      body: { identifiers: [await takenIdentifier(given)] },
    }),
  },
  deleteLegacyAsset: { 204: assetPath },
  getLegacyAssetHistory: { 200: assetPath },

  listLegacyLocations: { 200: () => ({}) },
  listLegacyCurrentLocations: { 200: () => ({}) },
  createLegacyLocation: {
    201: () => ({ body: newDock() }),
    409: async (given) => ({ body: { ...newDock(), identifiers: [await takenIdentifier(given)] } }),
  },
  getLegacyLocation: { 200: locationPath },
  updateLegacyLocation: {
    200: async (given) => ({
      ...(await locationPath(given)),
      body: { parent_identifier: (await newLocation(given)).external_key },
    }),
    409: async (given) => {
      const { params } = await locationPath(given)
      return { params, body: { parent_identifier: params.identifier } }
    },
  },
  deleteLegacyLocation: {
    204: locationPath,
    409: async (given) => {
      const { id, external_key } = await newLocation(given)
      await newLocation(given, { parent_id: id })
      return { params: { identifier: external_key } }
    },
  },
  listLegacyLocationAncestors: { 200: locationPath },
  listLegacyLocationChildren: { 200: locationPath },
  listLegacyLocationDescendants: { 200: locationPath },

  attachLegacyAssetTag: {
    201: async (given) => ({ ...(await assetPath(given)), body: { value: unique('tag') } }),
    409: async (given) => ({ ...(await assetPath(given)), body: await takenIdentifier(given) }),
  },
  detachLegacyAssetTag: { 204: (given) => attached(given, newAsset) },
  attachLegacyLocationTag: {
    201: async (given) => ({ ...(await locationPath(given)), body: { value: unique('tag') } }),
    409: async (given) => ({ ...(await locationPath(given)), body: await takenIdentifier(given) }),
  },
  detachLegacyLocationTag: { 204: (given) => attached(given, newLocation) },
  attachLegacyAssetIdentifier: {
    201: async (given) => ({ ...(await assetPath(given)), body: { value: unique('tag') } }),
    409: async (given) => ({ ...(await assetPath(given)), body: await takenIdentifier(given) }),
  },
  detachLegacyAssetIdentifier: { 204: (given) => attached(given, newAsset) },
  attachLegacyLocationIdentifier: {
    201: async (given) => ({ ...(await locationPath(given)), body: { value: unique('tag') } }),
    409: async (given) => ({ ...(await locationPath(given)), body: await takenIdentifier(given) }),
  },
  detachLegacyLocationIdentifier: { 204: (given) => attached(given, newLocation) },
}
