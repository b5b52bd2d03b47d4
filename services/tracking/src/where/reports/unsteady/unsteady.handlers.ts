import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { PlacementRules } from '../../../positions/rules.ts'
import type { ReportDeps } from '../deps.ts'
import { listUnsteady } from './unsteady.queries.ts'
import { suggestedSetting } from './unsteady.rules.ts'

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
