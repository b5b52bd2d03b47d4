import type { UnsteadyRow } from '@whereabouts/contracts/resources/tracking/unsteady'
import type { PlacementRules } from '../../../positions/rules.ts'

/** Beyond what strengths vary by while nothing moves, and longer than a beacon is silent. */
const MARGIN_DB = 6
const EXIT_DELAY_SECONDS = 120

/** The values of the settings that would have carried a read that waits, or held an asset that went back and forth. */
export function suggestedSetting(
  reason: 'flapping' | 'waiting',
  tagType: string | null,
  { tagTypes, marginDb, exitDelaySeconds }: PlacementRules,
): UnsteadyRow['setting'] {
  if (reason === 'waiting') return { passages: 'carry' }
  const setting = {
    margin_db: Math.max(marginDb, MARGIN_DB),
    exit_delay_seconds: Math.max(exitDelaySeconds, EXIT_DELAY_SECONDS),
  }
  // Reads of other types move an asset at once, at any strength.
  const isJudged = tagType === null || tagTypes.includes(tagType)
  return isJudged ? setting : { ...setting, tag_types: [...tagTypes, tagType] }
}
