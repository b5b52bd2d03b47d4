import type { HourOfMovements } from '@whereabouts/contracts/movements'
import type { Handlers } from '@whereabouts/service-kit/serve'
import { windowTooFull } from '../../errors.ts'
import type { ReportDeps } from '../deps.ts'
import { countMovements, type Area } from './movement-summary.queries.ts'
import { summaryOf, windowOf, type Window } from './movement-summary.rules.ts'

type Deps = Pick<ReportDeps, 'longReads' | 'now' | 'view'>

const QUERY_CANCELED = '57014'

export const movementSummaryHandlers = ({
  longReads,
  view,
  now = Date.now,
}: Deps): Pick<Handlers<'tracking'>, 'summarizeMovements'> => {
  const count = async (orgId: number, window: Window, area?: Area): Promise<HourOfMovements[]> => {
    try {
      return await countMovements(longReads.forOrg(orgId), orgId, window, area)
    } catch (error) {
      throw (error as { code?: unknown }).code === QUERY_CANCELED ? windowTooFull() : error
    }
  }
  return {
    async summarizeMovements({
      principal: { orgId },
      query: { from, to, location_id: id, include_descendants: isDeep = false },
    }) {
      const window = windowOf({ from, to }, now())
      if (id === undefined) return { data: summaryOf(window, await count(orgId, window)) }
      const area = { isDeep, locationIds: isDeep ? view.withDescendants(orgId, [id]) : [id] }
      return { data: summaryOf(window, await count(orgId, window, area), area) }
    },
  }
}
