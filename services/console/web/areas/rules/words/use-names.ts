import { useQuery } from '@tanstack/react-query'
import { allPages } from '../../../parts/load/all-pages.ts'
import type { Picked } from '../../../parts/form/search-select.tsx'
import { api } from '../../../session/api.ts'
import type { NameOf, Rule } from './sentence.ts'

/** Ids in one request. */
const BATCH = 200
const MOST_READERS = 1_000

/** Finds a thing by its id; undefined if it was deleted. */
export type FindNamed = (...[thing, id]: Parameters<NameOf>) => Picked | undefined

/** What rules name, as it is called now. `most`: so many of each list. */
export function useNames(rules: readonly Rule[] | undefined, most = Infinity) {
  const idsOf = (list: 'asset_ids' | 'location_ids' | 'reader_ids') => [
    ...new Set((rules ?? []).flatMap(({ scope }) => scope[list].slice(0, most))),
  ]
  const ids = { asset: idsOf('asset_ids'), location: idsOf('location_ids'), reader: idsOf('reader_ids') }
  return useQuery({
    queryKey: ['rules', 'names', ids],
    enabled: rules !== undefined,
    queryFn: async ({ signal }): Promise<FindNamed> => {
      const [assets, locations, readers] = await Promise.all([
        inBatches(ids.asset, async (query) => api.get('/api/v1/assets', { query, signal })),
        inBatches(ids.location, async (query) => api.get('/api/v1/locations', { query, signal })),
        ids.reader.length === 0 ? [] : readersNow(signal),
      ])
      const found = {
        asset: Map.groupBy(assets, ({ id }) => id),
        location: Map.groupBy(locations, ({ id }) => id),
        reader: Map.groupBy(readers, ({ id }) => id),
      }
      return (thing, id) => found[thing].get(id)?.[0]
    },
  })
}

type Batch = { id: number[]; limit: number; window: 'any' }

async function inBatches(
  ids: readonly number[],
  load: (query: Batch) => Promise<readonly Picked[]>,
): Promise<Picked[]> {
  const batches = Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, at) =>
    ids.slice(at * BATCH, (at + 1) * BATCH),
  )
  const found = await Promise.all(batches.map((id) => load({ id, limit: BATCH, window: 'any' })))
  return found.flat()
}

async function readersNow(signal: AbortSignal): Promise<Picked[]> {
  const load = async (page: { limit: number; offset: number }) =>
    api.page('/api/v1/readers', { query: { ...page, configured: true, sort: 'reader_key' }, signal })
  const { rows } = await allPages(load, MOST_READERS)
  return rows.flatMap(({ id, name, reader_key: key }) =>
    id === null ? [] : [{ id, name: name ?? key, external_key: key }],
  )
}
