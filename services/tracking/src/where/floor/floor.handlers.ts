import { floorLimits } from '@whereabouts/contracts/resources/tracking/floor'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { ReportDeps } from '../reports/deps.ts'
import { countInside } from '../reports/occupancy/occupancy.rules.ts'
import { assetColumns, locationColumns, topDown } from './columns.ts'
import { listLiveLocations, readPlaces } from './floor.queries.ts'

type Deps = Pick<ReportDeps, 'longReads' | 'view' | 'now'>

export const floorHandlers = ({
  longReads,
  view,
  now = Date.now,
}: Deps): Pick<Handlers<'tracking'>, 'getFloor'> => ({
  async getFloor({ principal: { orgId } }) {
    const db = longReads.forOrg(orgId)
    const [places, ids] = await Promise.all([
      readPlaces(db, orgId, floorLimits.assets),
      listLiveLocations(db, orgId),
    ])
    const nowMs = now()
    const known = ids.flatMap((id) => view.location(orgId, id) ?? [])
    const valid = known.filter(
      ({ deleted, validFromMs, validToMs }) => !deleted && validFromMs <= nowMs && nowMs < validToMs,
    )
    const shown = topDown(valid, floorLimits.locations)
    const inside = countInside(ids, (id) => view.childrenOf(orgId, id), places.held)
    const typeOf = (id: number) => view.types.typeOf(orgId, id)
    return {
      data: {
        read_at: places.readAt,
        locations: locationColumns(shown, places.held, inside),
        assets: assetColumns(shown, places.assets, typeOf),
        total_locations: valid.length,
        total_assets: places.held.values().reduce((sum, held) => sum + held, 0),
      },
    }
  },
})
