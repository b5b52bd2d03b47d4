import type { Tx } from '../../db.ts'
import type { CatalogResolver, Unresolved } from '../../catalog/catalog-resolver.ts'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { Movement } from '../../positions/movements.ts'

/**
 * Assets and locations of movements that the view does not know, or not whole, by organization. Events were left out,
 * or would miss the type of the asset or what a location is in.
 */
export type MissingNames = ReadonlyMap<number, Unresolved>

/** Something is missing if another replica moved an asset from or to a location whose state has not arrived here yet. */
export function findMissingNames(movements: readonly Movement[], view: CatalogView): MissingNames {
  const missing = new Map<number, { assetIds: Set<number>; locationIds: Set<number> }>()
  for (const { to, fromLocationId } of movements) {
    const { orgId, assetId } = to
    const isAssetKnown = view.asset(orgId, assetId) && view.types.find(orgId, assetId) !== undefined
    const locations = fromLocationId === null ? [to.locationId] : [to.locationId, fromLocationId]
    const unknown = view.withAncestors(orgId, locations).filter((id) => !view.location(orgId, id))
    if (isAssetKnown && unknown.length === 0) continue
    const ofOrg = missing.get(orgId) ?? { assetIds: new Set(), locationIds: new Set() }
    missing.set(orgId, ofOrg)
    if (!isAssetKnown) ofOrg.assetIds.add(assetId)
    for (const id of unknown) ofOrg.locationIds.add(id)
  }
  return missing
}

/** Runs `work` in a transaction, which rolls back if `work` throws. */
export type InTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

/**
 * Commits `work` with all its events. If names are missing, it rolls back, asks catalog outside the transaction, and
 * runs `work` again. A name that catalog does not know either stays missing. Throws CatalogUnavailable.
 */
export async function commitWithNames<T extends { missing: MissingNames }>(
  resolver: CatalogResolver,
  inTransaction: InTransaction,
  work: (tx: Tx) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const result = await commitIfComplete(inTransaction, work)
  if (result.missing.size === 0) return result
  for (const [orgId, unresolved] of result.missing) await resolver.resolve(orgId, unresolved, signal)
  return inTransaction(work)
}

/** Makes Kysely roll back a transaction. Never leaves this file. */
class Rollback extends Error {}

/** Runs `work` and rolls it back if names are missing. */
async function commitIfComplete<T extends { missing: MissingNames }>(
  inTransaction: InTransaction,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  let result: T | undefined
  try {
    return await inTransaction(async (tx) => {
      result = await work(tx)
      if (result.missing.size > 0) throw new Rollback()
      return result
    })
  } catch (error) {
    if (error instanceof Rollback && result) return result
    throw error
  }
}
