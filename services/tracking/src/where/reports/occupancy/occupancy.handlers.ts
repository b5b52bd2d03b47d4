import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { ReportDeps } from '../deps.ts'
import { countOccupancy } from './occupancy.queries.ts'
import { countInside } from './occupancy.rules.ts'

export const occupancyHandlers = ({
  db,
  view,
}: Pick<ReportDeps, 'db' | 'view'>): Pick<Handlers<'tracking'>, 'listOccupancy'> => ({
  async listOccupancy({ principal: { orgId }, query: { location_id } }) {
    const requested = [...new Set(location_id)].filter((id) => view.location(orgId, id) !== undefined)
    const locationIds = view.withDescendants(orgId, requested)
    const { held, total, nowhere } = await countOccupancy(db.forOrg(orgId), orgId, locationIds)
    const inside = countInside(requested, (id) => view.childrenOf(orgId, id), held)
    const data = requested.map((id) => ({
      location_id: id,
      here: held.get(id) ?? 0,
      inside: inside.get(id) ?? 0,
    }))
    return { data, total, nowhere }
  },
})
