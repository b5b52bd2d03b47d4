import { keepPreviousData, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { api } from '../../session/api.ts'
import type { Data, Path, Reply, Sent } from '../../session/requests.ts'

/** Our own, because a change reloads by the first parts of a key; openapi-react-query makes keys of method and path. */
type Key = readonly unknown[]
/** What the request sends, and what else the query does. */
type Asked<P extends Path<'get'>, D, T> = Sent<P, 'get'> &
  Omit<UseQueryOptions<D, Error, T>, 'queryKey' | 'queryFn'>

/** A query that is one request. Its result is `data` of the reply. */
export function useRead<P extends Path<'get'>, T = Data<P, 'get'>>(
  key: Key,
  url: P,
  asked?: Asked<P, Data<P, 'get'>, T>,
) {
  const { path, query, ...options } = { path: undefined, query: undefined, ...asked }
  return useQuery<Data<P, 'get'>, Error, T>({
    queryKey: key,
    queryFn: ({ signal }) => api.get(url, ...([{ path, query, signal }] as never)),
    ...options,
  })
}

/** As `useRead`, with the counts around `data` of a list. The page before stays until this one has arrived. */
export function usePage<P extends Path<'get'>>(
  key: Key,
  url: P,
  asked?: Asked<P, Reply<P, 'get'>, Reply<P, 'get'>>,
) {
  const { path, query, ...options } = { path: undefined, query: undefined, ...asked }
  return useQuery<Reply<P, 'get'>>({
    queryKey: key,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api.page(url, ...([{ path, query, signal }] as never)),
    ...options,
  })
}
