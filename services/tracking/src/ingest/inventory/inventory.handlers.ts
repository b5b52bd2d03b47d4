import type { InventorySave } from '@whereabouts/contracts/resources/tracking/inventory'
import { isDatabaseOutage } from '@whereabouts/db/connect/outage'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { KeyedRequest } from '@whereabouts/service-kit/http/headers/idempotency'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import { CatalogUnavailable } from '../../catalog/catalog-resolver.ts'
import type { InventoryDeps } from './save.ts'
import { inventorySaver } from './shared-saves.ts'

export function inventoryHandlers(
  deps: InventoryDeps,
): Pick<Handlers<'tracking'>, 'saveInventory' | 'saveLegacyInventory'> {
  const saveOne = inventorySaver(deps)
  const save = async ({ principal, body, once }: Saving) => ({
    data: await unlessAway(saveOne(principal.orgId, body, once)),
  })
  return { saveInventory: save, saveLegacyInventory: save } // the field names are the same in both (D1.5)
}

type Saving = { principal: { orgId: number }; body: InventorySave; once?: KeyedRequest | undefined }

/**
 * Answers 503, which clients retry, if catalog or the database is not reachable, or if too many saves wait for the
 * same assets.
 */
async function unlessAway<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError) throw error
    const isAway = error instanceof CatalogUnavailable || isDatabaseOutage(error)
    throw isAway ? serviceUnavailable(error) : error
  }
}
