import { useQuery } from '@tanstack/react-query'
import { allPages } from '../../../parts/load/all-pages.ts'
import { api } from '../../../session/api.ts'

/** `locations`: those that its antennas stand for. */
export type FloorReader = { id: number; name: string; status: string; locations: readonly number[] }

/** Of more, the picture shows these, the first by key. */
const MOST_READERS = 500
const REFRESH_MS = 60_000

/** The configured readers by id. */
export const useFloorReaders = () =>
  useQuery({
    queryKey: ['readers', 'floor'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const { rows } = await allPages(async (page) => {
        const query = { ...page, configured: true, sort: 'reader_key' }
        return api.page('/api/v1/readers', { query, signal })
      }, MOST_READERS)
      return new Map<number, FloorReader>(
        rows.flatMap(({ id, name, reader_key: key, location_ids: locations, health }) =>
          id === null ? [] : [[id, { id, name: name ?? key, status: health.status, locations }]],
        ),
      )
    },
  })
