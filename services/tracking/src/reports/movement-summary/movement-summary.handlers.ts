import type { HourOfMovements } from '@whereabouts/contracts/movements'
import type { Handlers } from '@whereabouts/service-kit/serve'
import { sql } from 'kysely'
import { windowTooFull } from '../../errors.ts'
import type { ReportDeps } from '../deps.ts'
import { countMovements } from './movement-summary.queries.ts'
import { summaryOf, windowOf, type Window } from './movement-summary.rules.ts'

type Deps = Pick<ReportDeps, 'longReads' | 'now'> & { longestMs?: number }

/** Enough for about four million scans. The gateway waits for 10 s, so our error arrives before its timeout. */
const LONGEST_MS = 8_000
const QUERY_CANCELED = '57014'

export const movementSummaryHandlers = ({
  longReads,
  now = Date.now,
  longestMs = LONGEST_MS,
}: Deps): Pick<Handlers<'tracking'>, 'summarizeMovements'> => {
  /** With a statement timeout, because there are few of these connections. */
  const count = async (orgId: number, window: Window, locationId?: number): Promise<HourOfMovements[]> => {
    try {
      return await longReads.transaction(orgId, async (tx) => {
        await sql`select set_config('statement_timeout', ${`${longestMs}ms`}, true)`.execute(tx)
        return countMovements(tx, orgId, window, locationId)
      })
    } catch (error) {
      throw (error as { code?: unknown }).code === QUERY_CANCELED ? windowTooFull() : error
    }
  }
  return {
    async summarizeMovements({ principal: { orgId }, query: { from, to, location_id } }) {
      const window = windowOf({ from, to }, now())
      const found = await count(orgId, window, location_id)
      return { data: summaryOf(window, found, location_id !== undefined) }
    },
  }
}
