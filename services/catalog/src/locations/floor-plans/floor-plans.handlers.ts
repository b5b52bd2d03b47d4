import type { Zone } from '@whereabouts/contracts/resources/catalog/floor-plans'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tx } from '../../db.ts'
import { floorPlanChanged, zonesNotFound } from '../../errors.ts'
import type { HandlerDeps } from '../../changes/transactions/transactions.ts'
import { findLiveParents, findPlan, getPlan, listPlans, lockPlace, savePlan } from './floor-plans.queries.ts'
import { isOnPlan, type LiveParents } from './floor-plans.rules.ts'
import { placeOf, toPlanView } from './floor-plans.views.ts'
import { admitPlan } from './limits.queries.ts'

export const floorPlanHandlers = ({ db, runInTransaction }: HandlerDeps) =>
  ({
    /** All plans in one answer: the limits of an organization keep it below some megabytes. */
    async listFloorPlans({ principal: { orgId } }) {
      const own = db.forOrg(orgId)
      const plans = await listPlans(own, orgId)
      const parents = await findLiveParents(own, orgId, plans)
      const shown = plans.filter(({ place }) => place === 0 || parents.has(place))
      return { data: shown.map((plan) => toPlanView(plan, parents)) }
    },

    /**
     * Keeps zones of deleted locations, which the caller does not see. Does not lock locations: if one is deleted
     * meanwhile, its zone is hidden too. Does not check readers, which belong to another service: a reader that is
     * unknown there is shown by nobody.
     */
    async saveFloorPlan({ principal: { orgId }, params, body: { zones, readers, version } }) {
      const place = placeOf(params.place)
      const save = async (tx: Tx) => {
        await lockPlace(tx, orgId, place)
        const stored = await findPlan(tx, orgId, place)
        if ((stored?.version ?? 0) !== version) throw floorPlanChanged()
        const before = stored?.zones ?? []
        const parents = await findLiveParents(tx, orgId, [{ place, zones: [...before, ...zones] }])
        refuseMissing(place, zones, parents)
        const kept = before.filter(({ location_id }) => !parents.has(location_id))
        const admitted = await admitPlan(tx, orgId, { place, zones, kept, readers })
        await savePlan(tx, orgId, { place, zones: admitted, readers }, stored)
        return { data: toPlanView(await getPlan(tx, orgId, place), parents) }
      }
      return runInTransaction(orgId, save, 'floor plans')
    },
  }) satisfies Partial<Handlers<'catalog'>>

function refuseMissing(place: number, zones: readonly Zone[], parents: LiveParents): void {
  const isShown = isOnPlan(place, parents)
  const [first, ...rest] = zones.flatMap((zone, index) => (isShown(zone) ? [] : [index]))
  if (first !== undefined) throw zonesNotFound([first, ...rest], place !== 0)
}
