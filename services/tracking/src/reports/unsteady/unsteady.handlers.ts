import type { Handlers } from '@whereabouts/service-kit/serve'
import type { ReaderDirectory } from '../../readers/reader-directory.ts'
import type { ReportDeps } from '../deps.ts'
import { listUnsteady } from './unsteady.queries.ts'
import { suggestedSetting } from './unsteady.rules.ts'

type Deps = Pick<ReportDeps, 'longReads' | 'now'> & { directory: Pick<ReaderDirectory, 'rules'> }

export const unsteadyHandlers = ({
  longReads,
  directory,
  now = Date.now,
}: Deps): Pick<Handlers<'tracking'>, 'listUnsteadyAssets'> => ({
  async listUnsteadyAssets({ principal: { orgId }, query }) {
    const { rows, total } = await listUnsteady(longReads.forOrg(orgId), orgId, now(), query)
    const rules = directory.rules(orgId)
    const data = rows.map(({ tag_type, ...row }) =>
      Object.assign(row, { setting: suggestedSetting(row.reason, tag_type, rules) }),
    )
    return { data, ...query, total_count: total }
  },
})
