import type { GapFiller, Wanted } from '../projections/catalog-lookup.ts'
import type { CatalogView } from '../projections/catalog-view.ts'
import type { Movement } from './movements.ts'

/** What an event does about a name that the view does not hold: have catalog asked first, or go without. */
export type Naming = 'ask' | 'as known'

/** Thrown inside the store step, which it rolls back: movements that the view cannot name. */
class NamesMissing extends Error {
  override readonly name = 'NamesMissing'
  readonly wanted: ReadonlyMap<number, Wanted>

  constructor(wanted: ReadonlyMap<number, Wanted>) {
    super('movements that cannot be named yet')
    this.wanted = wanted
  }
}

/** Another replica may have moved an asset from or to a location whose state has not arrived here yet. */
export function refuseUnnamed(movements: readonly Movement[], view: CatalogView): void {
  const wanted = new Map<number, { assetIds: Set<number>; locationIds: Set<number> }>()
  for (const { to, fromLocationId } of movements) {
    const { orgId, assetId } = to
    const isNamed = view.asset(orgId, assetId) !== undefined
    const places = fromLocationId === null ? [to.locationId] : [to.locationId, fromLocationId]
    const unnamed = places.filter((id) => !view.location(orgId, id))
    if (isNamed && unnamed.length === 0) continue
    const gap = wanted.get(orgId) ?? { assetIds: new Set(), locationIds: new Set() }
    wanted.set(orgId, gap)
    if (!isNamed) gap.assetIds.add(assetId)
    for (const id of unnamed) gap.locationIds.add(id)
  }
  if (wanted.size > 0) throw new NamesMissing(wanted)
}

/**
 * Runs a store step. What it cannot name is asked of catalog, outside the transaction, before it runs again; what even
 * catalog does not know has no name then. Throws CatalogUnavailable.
 */
export async function withNames<T>(
  gaps: GapFiller,
  step: (naming: Naming) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await step('ask')
  } catch (error) {
    if (!(error instanceof NamesMissing)) throw error
    for (const [orgId, wanted] of error.wanted) await gaps.fill(orgId, wanted, signal)
    return step('as known')
  }
}
