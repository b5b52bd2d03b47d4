import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { ApiError, type components } from '@whereabouts/client/client'
import { SaidError } from '../../../../parts/load/failure.ts'
import { api } from '../../../../session/api.ts'
import type { Statement } from '../../words/sentence.ts'
import type { RuleBody } from '../draft.ts'

export type Preview = components['schemas']['RulePreview']

const TYPING_MS = 500
const DAY_MS = 86_400_000
/** Two previews run at once for an organization. Another one waits a moment. */
const MOST_WAITS = 3
const WAIT_MS = 2_000

/** What people choose: the past of so many days. */
export const SPANS = ['7', '30'] as const
export type Span = (typeof SPANS)[number]

/**
 * What a sentence would have told; undefined: it is not complete. The answer is that of this sentence and never of an
 * earlier one: until the typing pauses and the answer is there, the query has no data. A change of rules does not reload it.
 */
export function usePreview(statement: Statement | undefined, days: Span) {
  const wanted = JSON.stringify(statement && { statement, days })
  const [asked] = useDebouncedValue(wanted, TYPING_MS)
  const isAsked = statement !== undefined && asked === wanted
  return useQuery({
    queryKey: ['rule-preview', wanted],
    enabled: isAsked,
    queryFn: ({ signal }) => preview(statement, days, signal),
    retry: (count, error) => count < MOST_WAITS && error instanceof ApiError && error.status === 429,
    retryDelay: WAIT_MS,
    refetchOnWindowFocus: false,
    staleTime: 60_000,
  })
}

async function preview(statement: Statement | undefined, days: Span, signal: AbortSignal): Promise<Preview> {
  const now = Date.now()
  const at = (ms: number) => new Date(ms).toISOString()
  const body = {
    rule: { ...(statement as Statement & Pick<RuleBody, 'kind' | 'scope'>), name: 'Preview' },
    // Both ends: with the clock of the server as the other one, 30 days could be a little longer.
    from: at(now - Number(days) * DAY_MS),
    to: at(now),
  }
  try {
    return await api.post('/api/v1/rules/preview', { body, signal })
  } catch (error) {
    if (error instanceof ApiError && error.error?.fields?.some(({ field }) => field === 'to'))
      throw new SaidError({
        title: `${days} days have too many movements to preview`,
        detail:
          days === '7'
            ? 'Choose fewer assets or locations. The rule works without a preview too.'
            : 'Choose 7 days, or fewer assets or locations. The rule works without a preview too.',
      })
    throw error
  }
}
