import { QueryClient } from '@tanstack/react-query'
import { ApiError } from '@whereabouts/client/client'

const RETRIES = 2

/** What is shown may be ten seconds old; a screen that is opened again shows what it had and looks for news. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 5 * 60_000,
      retry: (count, error) => count < RETRIES && isPassing(error),
      refetchOnWindowFocus: true,
    },
  },
})

/** The same request would fail again where the API has understood it. */
const isPassing = (error: unknown) => !(error instanceof ApiError) || error.status >= 500
