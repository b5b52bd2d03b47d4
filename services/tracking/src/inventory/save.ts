import type { InventorySave, InventorySaved } from '@whereabouts/contracts/inventory'
import { rejectIfAny } from '@whereabouts/service-kit/errors'
import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import type { Tables } from '../db.ts'
import { keysUnresolved } from '../errors.ts'
import { commitWithNames, type InTransaction } from '../ingest/names.ts'
import { placeSave } from '../ingest/saves.ts'
import { lockPositions } from '../positions/lock-positions.queries.ts'
import { storeSave } from '../ingest/store.ts'
import { monthsOfSave, withMonths } from '../partitions/missing-months.ts'
import type { AskCatalog, CatalogResolver } from '../projections/catalog-resolver.ts'
import type { CatalogView } from '../projections/catalog-view.ts'
import { storeStates } from './inventory.queries.ts'
import { findSaveTargets } from './save-targets.ts'

export type InventoryDeps = {
  db: TenantDatabase<Tables>
  view: CatalogView
  ask: AskCatalog
  resolver: CatalogResolver
  /** Called after a commit that put movements into the outbox. */
  wakeOutbox: () => void
  now?: () => number
}

/**
 * Saves that assets are at a location now (D8.5). All or nothing: if a key names nothing, it throws an error with all
 * such keys. Throws CatalogUnavailable.
 */
export async function saveInventory(
  deps: InventoryDeps,
  orgId: number,
  body: InventorySave,
): Promise<InventorySaved> {
  const { db, view, ask, resolver, now = Date.now } = deps
  const assetKeys = [...new Set(body.asset_identifiers)]
  const { assets, location } = await findSaveTargets(ask, orgId, {
    assetKeys,
    locationKey: body.location_identifier,
  })
  const found = new Set(assets.map((asset) => asset.external_key))
  const unresolved = keysUnresolved(
    location ? undefined : body.location_identifier,
    assetKeys.filter((key) => !found.has(key)),
  )
  rejectIfAny(unresolved, unresolved.length)
  if (!location) throw new Error('a location that is missing is among the unresolved')
  resolver.apply({ assets, locations: [location], tags: [] })
  const savedAtMs = now()
  const save = { orgId, assetIds: assets.map(({ id }) => id), locationId: location.id, savedAtMs }
  const inTransaction: InTransaction = (work) =>
    withMonths(db.forOrg(orgId), monthsOfSave(savedAtMs), () => db.transaction(orgId, work))
  const { movements } = await commitWithNames(resolver, inTransaction, async (tx) => {
    const current = await lockPositions(tx, assets.map(({ id }) => ({ orgId, assetId: id }))) // oxfmt-ignore
    await storeStates(tx, orgId, assets, location)
    return storeSave(tx, view, current, placeSave(current, save))
  })
  if (movements > 0) deps.wakeOutbox()
  const timestamp = new Date(savedAtMs).toISOString()
  return { count: assets.length, location_id: location.id, location_name: location.name, timestamp }
}
