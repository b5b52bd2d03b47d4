import { usePage } from '../../../parts/load/use-read.ts'
import { TAG_TYPES } from '../../../parts/things/tag-types.ts'

const PAGE = 50
const REFRESH_MS = 5_000
export const DEFAULTS = { q: '', type: '', reader: '', reads: '', sort: '-last_seen_at', offset: '0' }
export type UnknownTagFilter = typeof DEFAULTS

export function useUnknownTags({ q, type, reader, reads, sort, offset }: UnknownTagFilter) {
  const query = {
    limit: PAGE,
    offset: Number(offset),
    sort,
    ...(q !== '' && { q }),
    ...(type !== '' && { tag_type: TAG_TYPES.filter((known) => known === type) }),
    ...(reader !== '' && { reader_key: [reader] }),
    ...(reads !== '' && { min_reads: Number(reads) }),
  }
  return usePage(['unknown-tags', query], '/api/v1/unknown-tags', { query, refetchInterval: REFRESH_MS })
}
