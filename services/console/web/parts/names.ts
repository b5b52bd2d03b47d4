import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { api } from '../session/api.ts'

type Names = ReadonlyMap<string, string>
type Keys = readonly (string | null | undefined)[]

const NONE: Names = new Map()
/** The largest page of the API. */
const MAX_KEYS = 200

/** Names of assets by external key, in one request. Empty while it loads: show the key then. */
export const useAssetNames = (keys: Keys): Names =>
  useNames('assets', keys, async (external_key, signal) => {
    const query = { external_key: [...external_key], limit: MAX_KEYS }
    return unwrap(await api.GET('/api/v1/assets', { params: { query }, signal })).data
  })

/** Names of locations by external key, in the same way. */
export const useLocationNames = (keys: Keys): Names =>
  useNames('locations', keys, async (external_key, signal) => {
    const query = { external_key: [...external_key], limit: MAX_KEYS }
    return unwrap(await api.GET('/api/v1/locations', { params: { query }, signal })).data
  })

type Named = { external_key: string; name: string }
type Load = (keys: readonly string[], signal: AbortSignal) => Promise<readonly Named[]>

function useNames(of: 'assets' | 'locations', all: Keys, load: Load): Names {
  const keys = [...new Set(all.filter((key) => key !== null && key !== undefined))].toSorted()
  const { data } = useQuery({
    queryKey: [of, 'names', keys],
    enabled: keys.length > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => load(keys, signal),
    select: byKey,
  })
  return data ?? NONE
}

const byKey = (rows: readonly Named[]): Names =>
  new Map(rows.map(({ external_key, name }) => [external_key, name]))
