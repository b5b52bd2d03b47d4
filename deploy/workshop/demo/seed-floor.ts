import { ALL_PLACES, type FloorPlan } from '@whereabouts/contracts/resources/catalog/floor-plans'
import { createHash } from 'node:crypto'
import { ApiError } from './api.ts'
import { warehouseFloor } from './floor.ts'
import { warehouseImage } from './floor-image.ts'
import type { SeedContext } from './seed-catalog.ts'

const PAGE = { limit: '200' }
const params = { place: ALL_PLACES }

/** Arranges the floor of the organization, unless somebody has: the picture first, then the zones and readers on it. */
export async function seedFloor(context: SeedContext): Promise<void> {
  const { api, token, onProgress } = context
  const { data: plans } = await api('listFloorPlans', { token })
  const stored = plans.find(({ place }) => place === ALL_PLACES)
  const image = warehouseImage()
  if (stored && !isInterrupted(stored, image)) return
  const ids = await listIds(context)
  const file = { mediaType: 'image/svg+xml', text: image } as const
  const { version } = stored ?? (await api('saveFloorImage', { token, params, file })).data
  const body = { ...warehouseFloor(ids.locations, ids.readers), version }
  try {
    await api('saveFloorPlan', { token, params, body })
    onProgress('floor arranged')
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error // a lost response, or a person was faster
  }
}

/** Our picture with nothing on it yet, as the first of the two steps leaves it. */
const isInterrupted = ({ image, version }: FloorPlan, ours: string) =>
  version === 1 && image?.hash === createHash('sha256').update(ours).digest('hex')

async function listIds({ api, token }: SeedContext) {
  const [locations, readers] = await Promise.all([
    api('listLocations', { token, query: PAGE }),
    api('listReaders', { token, query: PAGE }),
  ])
  return {
    locations: new Map(locations.data.map(({ external_key, id }) => [external_key, id])),
    readers: new Map(
      readers.data.flatMap(({ reader_key, id }): [string, number][] =>
        id === null ? [] : [[reader_key, id]],
      ),
    ),
  }
}
