import { ALL_PLACES, type FloorPlan } from '@whereabouts/contracts/resources/catalog/floor-plans'
import type { PlanRow } from './floor-plans.queries.ts'
import { isOnPlan, type LiveParents } from './floor-plans.rules.ts'

/** How the table names the place of a path. */
export const placeOf = (place: typeof ALL_PLACES | number): number => (place === ALL_PLACES ? 0 : place)

export const toPlanView = (plan: PlanRow, parents: LiveParents): FloorPlan => ({
  place: plan.place === 0 ? ALL_PLACES : String(plan.place),
  image: plan.image,
  zones: plan.zones.filter(isOnPlan(plan.place, parents)),
  readers: plan.readers,
  version: plan.version,
  updated_at: plan.updated_at,
})
