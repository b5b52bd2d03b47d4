import { combined, type LoadedQuery } from '../../../parts/load/combined-query.ts'
import { useLimits } from '../../../parts/load/use-limits.ts'
import { usePage } from '../../../parts/load/use-read.ts'

export type Counts = { assets: number; locations: number; readers: number; unknownTags: number }

const ONE_ROW = { query: { limit: 1 }, refetchInterval: 30_000, refetchOnMount: 'always' as const }

/** What is stored, as the limits count it, and the total counts of the lists that no limit counts. */
export function useCounts(): LoadedQuery<Counts> {
  // After the first asset is created, the cached zero must not show.
  const limits = useLimits({ refetchInterval: 30_000, refetchOnMount: 'always' })
  const readers = usePage(['overview', 'readers'], '/api/v1/readers', ONE_ROW)
  const unknownTags = usePage(['overview', 'unknown tags'], '/api/v1/unknown-tags', ONE_ROW)
  const { data, ...rest } = combined({ limits, readers, unknownTags })
  const used = (name: string) => data?.limits.find((limit) => limit.name === name)?.used ?? 0
  return {
    ...rest,
    data: data && {
      assets: used('assets'),
      locations: used('locations'),
      readers: data.readers.total_count,
      unknownTags: data.unknownTags.total_count,
    },
  }
}
