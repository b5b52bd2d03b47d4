import type { InventorySave, InventorySaved } from '@whereabouts/contracts/inventory'
import { rejectIfAny, serviceUnavailable } from '@whereabouts/service-kit/errors'
import type { Handlers } from '@whereabouts/service-kit/serve'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import { keysUnresolved } from '../errors.ts'
import { withNames } from '../ingest/names.ts'
import { storeSave } from '../ingest/store.ts'
import { CatalogUnavailable, type AskCatalog, type GapFiller } from '../projections/catalog-lookup.ts'
import type { CatalogView } from '../projections/catalog-view.ts'
import { learn } from './inventory.queries.ts'
import { findSavedThings } from './saved-things.ts'

export type InventoryDeps = {
  db: Kysely<Tables>
  view: CatalogView
  ask: AskCatalog
  gaps: GapFiller
  /** Called after a commit that put movements into the outbox. */
  kick(): void
  now?: () => number
}

export function inventoryHandlers(
  deps: InventoryDeps,
): Pick<Handlers<'tracking'>, 'saveInventory' | 'saveLegacyInventory'> {
  const save = async ({ principal, body }: { principal: { orgId: number }; body: InventorySave }) => ({
    data: await unlessAway(saveInventory(deps, principal.orgId, body)),
  })
  return { saveInventory: save, saveLegacyInventory: save } // the field names are the same in both (D1.5)
}

/** All or nothing: what one key does not name is told, and then nothing is saved (D8.5). */
async function saveInventory(
  deps: InventoryDeps,
  orgId: number,
  body: InventorySave,
): Promise<InventorySaved> {
  const { db, view, ask, gaps, kick, now = Date.now } = deps
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
  const { movements } = await withNames(gaps, (naming) =>
    db.transaction().execute(async (tx) => {
      await learn(tx, orgId, assets, location)
      return storeSave(tx, view, save, naming)
    }),
  )
  if (movements > 0) kick()
  const timestamp = new Date(savedAtMs).toISOString()
  return { count: assets.length, location_id: location.id, location_name: location.name, timestamp }
}

async function unlessAway<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof CatalogUnavailable ? serviceUnavailable(error) : error
  }
}
