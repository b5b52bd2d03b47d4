import { usePage, useRead } from '../load/use-read.ts'

const at = (location_id: number) => ({ path: { location_id } })

/** Of no location with 0. */
export const useLocationView = (id: number) =>
  useRead(['location', id], '/api/v1/locations/{location_id}', { ...at(id), enabled: id !== 0 })

/** Ancestors from the root to the parent. If there are more than 200, only those next to the root. */
export const useAncestors = (id: number) =>
  useRead(['location', id, 'ancestors'], '/api/v1/locations/{location_id}/ancestors', {
    ...at(id),
    query: { limit: 200 },
  })

const HERE_PAGE = 25

/** Assets at a location now; `deep` includes sub-locations. */
export const useHere = (id: number, { deep, offset }: { deep: boolean; offset: number }) =>
  usePage(['report', 'here', id, deep, offset], '/api/v1/reports/asset-locations', {
    query: {
      location_id: [id],
      include_descendants: deep,
      limit: HERE_PAGE,
      offset,
      expand: 'asset,location',
    },
  })
