import { useQuery } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'
import type { ReportingAntenna } from './reporting-text.ts'

/** Whose antennas are named. Few locations have more readers. */
const MOST_READERS = 20
const MOST_ANTENNAS = 200

/** The antennas that report at a location; `more` if there are so many readers that not all are looked at. */
export const useReportingAntennas = (locationId: number) =>
  useQuery({
    queryKey: ['location', locationId, 'antennas'],
    queryFn: async ({ signal }) => {
      const query = { location_id: [locationId], limit: MOST_READERS }
      const { data, total_count } = await api.page('/api/v1/readers', { query, signal })
      const antennas = await Promise.all(
        data.map(async ({ id, name, reader_key: key }) =>
          id === null ? [] : antennasOf({ id, name: name ?? key }, locationId, signal),
        ),
      )
      return { antennas: antennas.flat(), more: total_count > data.length }
    },
  })

async function antennasOf(
  reader: { id: number; name: string },
  locationId: number,
  signal: AbortSignal,
): Promise<ReportingAntenna[]> {
  const data = await api.get('/api/v1/readers/{reader_id}/scan-points', {
    path: { reader_id: reader.id },
    query: { limit: MOST_ANTENNAS },
    signal,
  })
  return data
    .filter(({ location_id: id }) => id === locationId)
    .map(({ antenna }) => ({ reader: reader.name, antenna }))
}
