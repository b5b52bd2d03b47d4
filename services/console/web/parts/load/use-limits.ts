import { useRead } from './use-read.ts'

type Options = { refetchInterval?: number; refetchOnMount?: 'always' }

/** What the organization may store, and stores. */
export const useLimits = (options: Options = {}) =>
  useRead(['limits'], '/api/v1/limits', { refetchInterval: 60_000, ...options })
