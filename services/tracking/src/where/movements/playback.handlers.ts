import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { ReportDeps } from '../reports/deps.ts'
import { readAssetLocationsAt } from '../reports/asset-locations/at-instant.queries.ts'
import { LATEST_FIRST } from '../reports/asset-locations/filter.ts'
import { DAY_MS, windowOf } from '../reports/movement-summary/movement-summary.rules.ts'
import { playbackOf } from './playback.ts'
import { readMoved } from './playback.queries.ts'

const MOST_ASSETS = 10_000
export const MOST_MOVES = 200_000

type Deps = Pick<ReportDeps, 'longReads' | 'view' | 'now'>

export const playbackHandlers = ({
  longReads,
  view,
  now = Date.now,
}: Deps): Pick<Handlers<'tracking'>, 'playMovements'> => ({
  async playMovements({ principal: { orgId }, query }) {
    const window = windowOf(query, now(), DAY_MS)
    const db = longReads.forOrg(orgId)
    const page = { limit: MOST_ASSETS, offset: 0, sort: LATEST_FIRST, includeDeleted: true }
    const from = new Date(window.fromMs).toISOString()
    const [{ rows, total }, moved] = await Promise.all([
      readAssetLocationsAt(db, orgId, page, from),
      readMoved(db, orgId, window, MOST_MOVES + 1),
    ])
    const isCut = total > rows.length || moved.length > MOST_MOVES
    return {
      data: await playbackOf(window, rows, moved.slice(0, MOST_MOVES), isCut, (id) =>
        view.types.typeOf(orgId, id),
      ),
    }
  },
})
