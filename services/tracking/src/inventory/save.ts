import type { InventorySave, InventorySaved } from '@whereabouts/contracts/inventory'
import { rejectIfAny } from '@whereabouts/service-kit/errors'
import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import type { Tables } from '../db.ts'
import { keysUnresolved } from '../errors.ts'
import { withNames, type Naming } from '../ingest/names.ts'
import { lockPositions } from '../ingest/scans.queries.ts'
import { storeSave } from '../ingest/store.ts'
import { monthsOfSave, withMonths } from '../partitions/missing-months.ts'
import type { AskCatalog, GapFiller } from '../projections/catalog-lookup.ts'
import type { CatalogView } from '../projections/catalog-view.ts'
import { learn } from './inventory.queries.ts'
import { findSavedThings } from './saved-things.ts'

export type InventoryDeps = {
  db: TenantDatabase<Tables>
  view: CatalogView
  ask: AskCatalog
  gaps: GapFiller
  /** Called after a commit that put movements into the outbox. */
  wakeOutbox(): void
  now?: () => number
}

/**
 * Puts assets at a location now (D8.5). All or nothing: a key that names nothing is told, and then nothing is saved.
 * Throws CatalogUnavailable.
 */
export async function saveInventory(
  deps: InventoryDeps,
  orgId: number,
  body: InventorySave,
): Promise<InventorySaved> {
  const { db, view, ask, gaps, now = Date.now } = deps
  const assetKeys = [...new Set(body.asset_identifiers)]
  const { assets, location } = await findSavedThings(ask, orgId, {
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
  gaps.apply({ assets, locations: [location], tags: [] })
  const savedAtMs = now()
  const save = { orgId, assetIds: assets.map(({ id }) => id), locationId: location.id, savedAtMs }
  const store = (naming: Naming) =>
    db.transaction(orgId, async (tx) => {
      const current = await lockPositions(tx, assets.map(({ id }) => ({ orgId, assetId: id }))) // prettier-ignore
      await learn(tx, orgId, assets, location)
      return storeSave(tx, view, current, save, naming)
    })
  const { movements } = await withNames(gaps, (naming) =>
    withMonths(db.forOrg(orgId), monthsOfSave(savedAtMs), () => store(naming)),
  )
  if (movements > 0) deps.wakeOutbox()
  const timestamp = new Date(savedAtMs).toISOString()
  return { count: assets.length, location_id: location.id, location_name: location.name, timestamp }
}
