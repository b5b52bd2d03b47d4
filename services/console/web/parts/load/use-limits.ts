import { useRead } from './use-read.ts'

/** What the organization may store, and stores. */
export const useLimits = () => useRead(['limits'], '/api/v1/limits', { refetchInterval: 60_000 })
