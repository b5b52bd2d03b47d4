import type { components } from '@whereabouts/client/client'
import { countText } from '../../../parts/table/count-text.ts'

export type Unsteady = components['schemas']['UnsteadyAssetRow']

const nameOf = (location: Unsteady['locations'][number] | undefined) => location?.name ?? 'a deleted location'

/** What is unsteady about the place of an asset. A newer API may have more reasons. */
export function unsteadyText({ reason, locations: [first, second], movements }: Unsteady): string {
  if (reason === 'waiting') return `Shown at ${nameOf(first)}, but last read at ${nameOf(second)}.`
  const between = `between ${nameOf(first)} and ${nameOf(second)}`
  return `Moved ${between} ${countText(movements, 'times')} in 24 hours.`
}
