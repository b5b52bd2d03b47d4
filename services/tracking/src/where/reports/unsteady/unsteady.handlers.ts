import type { UnsteadyRow } from '@whereabouts/contracts/resources/tracking/unsteady'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { PlacementRules } from '../../../positions/rules.ts'
import type { ReportDeps } from '../deps.ts'
import { listUnsteady } from './unsteady.queries.ts'

type Deps = Pick<ReportDeps, 'longReads' | 'now'> & { rulesOf: (orgId: number) => PlacementRules }

export const unsteadyHandlers = ({
  longReads,
  rulesOf,
  now = Date.now,
}: Deps): Pick<Handlers<'tracking'>, 'listUnsteadyAssets'> => ({
  async listUnsteadyAssets({ principal: { orgId }, query }) {
    const { rows, total } = await listUnsteady(longReads.forOrg(orgId), orgId, now(), query)
    const rules = rulesOf(orgId)
    const data = rows.map(({ tag_type, ...row }) =>
      Object.assign(row, { setting: suggestedSetting(row.reason, tag_type, rules) }),
    )
    return { data, ...query, total_count: total }
  },
})

/** Beyond what strengths vary by while nothing moves, and longer than a beacon is silent. */
const MARGIN_DB = 6
const EXIT_DELAY_SECONDS = 120

/** The values of the settings that would have carried a read that waits, or held an asset that went back and forth. */
function suggestedSetting(
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
