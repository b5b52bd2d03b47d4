import type { FloorPlan, Zone } from '@whereabouts/contracts/resources/catalog/floor-plans'
import type { Catalog } from './catalog.fixture.ts'

type As = { org?: number }
type Body = { zones?: Partial<Zone>[]; readers?: object[]; version?: number }

/** Requests of floor plans. */
export const floorOf = (catalog: Catalog, as: As = {}) => ({
  list: async (): Promise<FloorPlan[]> => (await catalog.get('/floor-plans', as)).json().data,
  save: (place: string | number, { zones = [], readers = [], version = 0 }: Body = {}) =>
    catalog.call('PUT', `/floor-plans/${place}`, { zones, readers, version }, as),
  draw: (place: string | number, bytes: Buffer, mediaType = 'image/png', query = '') =>
    catalog.call('PUT', `/floor-plans/${place}/image${query}`, bytes, { ...as, mediaType }),
  erase: (place: string | number, query = '') => catalog.delete(`/floor-plans/${place}/image${query}`, as),
  image: (hash: string | undefined) => catalog.get(`/floor-plans/images/${hash}`, as),
})

export const zone = ({ id }: { id: number }, x = 0): Zone => ({
  location_id: id,
  points: [[x, 0], [10_000, 0], [10_000, 5_000]], // oxfmt-ignore
})
