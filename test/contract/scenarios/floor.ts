import { MAX_IMAGE_BYTES } from '@whereabouts/contracts/resources/catalog/floor-plans'
import { succeed } from '../support/organization.ts'
import { newLocation, unique, type Given, type Scenario } from './scenario.ts'

const save = { zones: [], readers: [], version: 0 }

const place = async (given: Given) => ({ params: { place: (await newLocation(given)).id } })

async function image(given: Given) {
  const body = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><title>${unique('plan')}</title></svg>`
  return { ...(await place(given)), body, headers: { 'content-type': 'image/svg+xml' } }
}

/** A plan with an image. */
async function drawn(given: Given) {
  const call = await image(given)
  const saving = given.api.call('saveFloorImage', { ...call, token: given.org.admin })
  return { params: call.params, hash: (await succeed(saving)).body.data.image?.hash ?? '' }
}

export const floorScenarios: Record<string, Scenario> = {
  listFloorPlans: { 200: () => ({}) },
  saveFloorPlan: {
    200: async (given) => ({ ...(await place(given)), body: save }),
    409: async (given) => ({ ...(await place(given)), body: { ...save, version: 1 } }),
  },
  saveFloorImage: {
    200: image,
    400: async (given) => ({ ...(await image(given)), body: '' }),
    409: 'images of 100 MiB: floor-images.int.test.ts of catalog stores them',
    413: async (given) => ({ ...(await place(given)), body: Buffer.alloc(MAX_IMAGE_BYTES + 1) }),
    415: async (given) => ({ ...(await image(given)), headers: { 'content-type': 'text/html' } }),
    429: 'three uploads of a user at a time: transfers.test.ts of catalog counts them',
  },
  removeFloorImage: {
    200: async (given) => ({ params: (await drawn(given)).params }),
    409: async (given) => ({ params: (await drawn(given)).params, query: { version: 99 } }),
  },
  getFloorImage: {
    200: async (given) => ({ params: { hash: (await drawn(given)).hash } }),
    429: 'many slow readers of one user: transfers.test.ts of catalog counts them',
  },
}
