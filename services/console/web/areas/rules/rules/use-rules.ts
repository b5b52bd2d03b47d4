import { usePage } from '../../../parts/load/use-read.ts'

const PAGE = 50
const REFRESH_MS = 10_000
export const RULES_DEFAULTS = { q: '', sort: 'name', offset: '0' }

/** A page of the rules. Their open alerts change by themselves. */
export function useRules({ q, sort, offset }: typeof RULES_DEFAULTS) {
  const query = { limit: PAGE, offset: Number(offset), sort, ...(q !== '' && { q }) }
  return usePage(['rules', 'list', query], '/api/v1/rules', { query, refetchInterval: REFRESH_MS })
}
