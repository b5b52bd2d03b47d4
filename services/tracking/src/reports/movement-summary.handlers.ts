import type { Handlers } from '@whereabouts/service-kit/serve'
import type { ReportDeps } from './asset-locations.handlers.ts'
import { countMovements } from './movement-summary.queries.ts'
import { summaryOf, windowOf } from './movement-summary.rules.ts'

export const movementSummaryHandlers = ({
  past,
  now = Date.now,
}: Pick<ReportDeps, 'past' | 'now'>): Pick<Handlers<'tracking'>, 'summarizeMovements'> => ({
  async summarizeMovements({ principal: { orgId }, query: { from, to, location_id } }) {
    const window = windowOf({ from, to }, now())
    const found = await countMovements(past, orgId, window, location_id)
    return { data: summaryOf(window, found, location_id !== undefined) }
  },
})
