import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '@whereabouts/client/client'
import { shareUnchanged } from './query-data.ts'

const RETRIES = 2

/** Data may be ten seconds old. A reopened screen shows cached data and reloads it. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 5 * 60_000,
      retry: (count, error) => count < RETRIES && isTransient(error),
      refetchOnWindowFocus: true,
      structuralSharing: shareUnchanged,
    },
  },
})

/** A 4xx is final: the same request would fail again. */
const isTransient = (error: unknown) => !(error instanceof ApiError) || (error.status ?? 500) >= 500
