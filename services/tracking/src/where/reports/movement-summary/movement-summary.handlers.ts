import type { HourOfMovements } from '@whereabouts/contracts/resources/tracking/movements'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import { windowTooFull } from '../../../errors.ts'
import type { ReportDeps } from '../deps.ts'
import { countMovements, type Counted } from './movement-summary.queries.ts'
import { checkSteps, summaryOf, windowOf, type Window } from './movement-summary.rules.ts'

type Deps = Pick<ReportDeps, 'longReads' | 'now' | 'view'>

const QUERY_CANCELED = '57014'

export const movementSummaryHandlers = ({
  longReads,
  view,
  now = Date.now,
}: Deps): Pick<Handlers<'tracking'>, 'summarizeMovements'> => {
  const count = async (orgId: number, window: Window, counted: Counted): Promise<HourOfMovements[]> => {
    try {
      return await countMovements(longReads.forOrg(orgId), orgId, window, counted)
    } catch (error) {
      throw (error as { code?: unknown }).code === QUERY_CANCELED ? windowTooFull() : error
    }
  }
  return {
    async summarizeMovements({
      principal: { orgId },
      query: { from, to, location_id: id, include_descendants: isDeep = false, step_seconds, asset_id, type },
    }) {
      const window = windowOf({ from, to }, now())
      checkSteps(window, step_seconds)
      const area =
        id === undefined
          ? undefined
          : { isDeep, locationIds: isDeep ? view.withDescendants(orgId, [id]) : [id] }
      const assetIds = type
        ? (asset_id?.filter((one) => view.types.isOneOf(orgId, one, type)) ?? view.types.idsOf(orgId, type))
        : asset_id
      const found = await count(orgId, window, { stepSeconds: step_seconds, area, assetIds })
      return { data: summaryOf(window, found, { stepSeconds: step_seconds, area }) }
    },
  }
}
