import type { UseQueryResult } from '@tanstack/react-query'

/** The parts of a query that `Loaded` shows. */
export type LoadedQuery<T> = Pick<UseQueryResult<T>, 'data' | 'isError' | 'error' | 'fetchStatus'> & {
  refetch: () => unknown
}

type Queries = Readonly<Record<string, LoadedQuery<unknown>>>
type DataOf<Q extends Queries> = { [Name in keyof Q]: Exclude<Q[Name]['data'], undefined> }

/** Several queries as one. It has data once all of them have, and the error of the first one that failed. */
export function combined<Q extends Queries>(queries: Q): LoadedQuery<DataOf<Q>> {
  const all = Object.values(queries)
  const failed = all.find(({ isError }) => isError)
  const missing = all.filter(({ data }) => data === undefined)
  const entries = Object.entries(queries).map(([name, { data }]) => [name, data])
  return {
    data: missing.length === 0 ? (Object.fromEntries(entries) as DataOf<Q>) : undefined,
    isError: failed !== undefined,
    error: failed?.error ?? null,
    fetchStatus: missing.some(({ fetchStatus }) => fetchStatus === 'paused') ? 'paused' : 'fetching',
    refetch: () => all.filter(({ isError }) => isError).forEach(({ refetch }) => refetch()),
  }
}
