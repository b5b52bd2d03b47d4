import { useCallback } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { components } from '@whereabouts/client/client'
import { useRead } from '../../../parts/load/use-read.ts'
import { EXPENSIVE_MS, useReloadOnMovement } from '../../../live/use-live.ts'
import { api } from '../../../session/api.ts'
import { ASSET_TYPES } from './asset-fields.ts'
import { isByPlace, placeQueryOf, sortOf, type AssetFilter } from './by-place.ts'

const PAGE = 50

export type LastLocation = components['schemas']['AssetLocation']
export type AssetList = AssetFilter & { sort: string; offset: string }

/** The filters and the order, as the API takes them. */
export function queryOf(list: AssetFilter & { sort: string }) {
  const { q, type, active, deleted } = list
  const known = ASSET_TYPES.find(({ value }) => value === type)
  return {
    sort: sortOf(list),
    ...(q !== '' && { q }),
    ...(known && { type: [known.value] }),
    ...(active !== '' && { is_active: active === 'true' }),
    ...(deleted === 'true' && { include_deleted: true }),
  }
}

/** One page of the assets that match a filter. */
export function useAssets({ offset, ...list }: AssetList) {
  const page = { limit: PAGE, offset: Number(offset) }
  useReloadOnMovement([['assets', 'by-place']], EXPENSIVE_MS)
  const kind = isByPlace(list) ? 'by-place' : 'list'
  return useQuery({
    queryKey: ['assets', list.at === '' ? kind : 'past', list, page, list.at],
    placeholderData: useKeptOf(list.at),
    queryFn: async ({ signal }) => {
      if (isByPlace(list)) return loadByPlace(list, page, signal)
      const query = { ...queryOf(list), ...page }
      return api.page('/api/v1/assets', { query, signal })
    },
  })
}

/** One page of the assets of the report, as the other list has them. */
async function loadByPlace(
  list: Omit<AssetList, 'offset'>,
  page: { limit: number; offset: number },
  signal: AbortSignal,
) {
  const query = { ...placeQueryOf(list), ...page }
  const report = await api.page('/api/v1/reports/asset-locations', { query, signal })
  const id = report.data.map(({ asset_id }) => asset_id)
  if (id.length === 0) return { ...report, data: [] }
  const all = { id, limit: id.length, include_deleted: true, window: 'any' as const }
  const data = await api.get('/api/v1/assets', { query: all, signal })
  const assets = new Map(data.map((asset) => [asset.id, asset]))
  return { ...report, data: id.flatMap((each) => assets.get(each) ?? []) }
}

type KeptQuery = { queryKey: readonly unknown[] } | undefined

/**
 * The page before stays until this one has arrived, if it is of the same instant: the past would show what is now. The same
 * function while it is, because another one makes a query give other data, and the screen draw again, without end.
 */
const useKeptOf = (at: string) =>
  useCallback(
    <T>(before: T | undefined, query: KeptQuery): T | undefined =>
      query?.queryKey.at(-1) === at ? before : undefined,
    [at],
  )

/** Locations of the assets of a page, in one request. Those of now reload on movements. */
export function useLastLocations(ids: readonly number[], at: string) {
  useReloadOnMovement([['assets', 'last-locations']])
  const key = ['assets', at === '' ? 'last-locations' : 'past-locations', ids, at]
  return useRead(key, '/api/v1/reports/asset-locations', {
    query: {
      asset_id: [...ids],
      limit: 200,
      include_deleted: true,
      expand: 'location',
      ...(at !== '' && { at }),
    },
    placeholderData: useKeptOf(at),
    enabled: ids.length > 0,
    select: byAsset,
  })
}

const byAsset = (rows: readonly LastLocation[]): ReadonlyMap<number, LastLocation> =>
  new Map(rows.map((row) => [row.asset_id, row]))
