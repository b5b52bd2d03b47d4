import { MAX_ASSET_KEYS } from '@whereabouts/contracts/messages/catalog-lookup'
import type { InventorySave, InventorySaved } from '@whereabouts/contracts/resources/tracking/inventory'
import { batchCallsByKey } from '@whereabouts/db/tenant/batch-calls'
import { isContention, isDatabaseOutage } from '@whereabouts/db/connect/outage'
import type { KeyedRequest } from '@whereabouts/service-kit/http/headers/idempotency'
import { CatalogUnavailable } from '../../catalog/catalog-resolver.ts'
import { roomOf, type SavedKeys } from './save-targets.ts'
import { requestedSave, saveInventory, type InventoryDeps, type RequestedSave } from './save.ts'

/** Saves in one transaction. Its locks hold up ingest, so it should take some milliseconds. */
const MAX_SAVES = 64
/** A larger save gains little, and the others would wait for it. */
const MAX_ASSETS = 20
/** If another session holds a position for longer, the saves of the other assets do not wait for it. */
const MAX_WAIT_MS = 1_000

/**
 * Returns a function for one save. Saves of one organization that arrive while others of it run share the next transaction
 * (ADR 70), in the order in which they arrived. Each is answered as if it ran alone. A request with a name runs alone, with its
 * answer in its transaction (D12.8).
 */
export function inventorySaver(
  deps: InventoryDeps,
): (orgId: number, body: InventorySave, named?: KeyedRequest) => Promise<InventorySaved> {
  const share = batchCallsByKey<number, RequestedSave, InventorySaved | 'failed together'>(
    (orgId, saves) => saveTogether(deps, orgId, saves),
    { atMost: countSharing },
  )
  return async (orgId, body, named) => {
    const save = requestedSave(body)
    if (named) return saveAlone(deps, orgId, save, named)
    const shared = save.assetKeys.length <= MAX_ASSETS ? await share(orgId, save) : 'too large'
    return typeof shared === 'string' ? saveAlone(deps, orgId, save) : shared
  }
}

async function saveAlone(
  deps: InventoryDeps,
  orgId: number,
  save: RequestedSave,
  named?: KeyedRequest,
): Promise<InventorySaved> {
  const [saved] = await saveInventory(deps, orgId, [save], { named })
  if (!saved || saved instanceof Error) throw saved
  return saved
}

/**
 * If the transaction fails and is certainly rolled back, one save may be the cause. So each runs alone, and none of them
 * keeps the next batch waiting. After an outage the transaction may be committed, so nothing is repeated.
 */
async function saveTogether(deps: InventoryDeps, orgId: number, saves: readonly RequestedSave[]) {
  try {
    return await saveInventory(deps, orgId, saves, { maxWaitMs: MAX_WAIT_MS })
  } catch (error) {
    const isOutage = error instanceof CatalogUnavailable || isDatabaseOutage(error)
    const mayRunAlone = isContention(error) || (saves.length > 1 && !isOutage)
    if (!mayRunAlone) throw error
    deps.log.warn({ err: error, org_id: orgId, saves: saves.length }, 'shared transaction of saves failed')
    return saves.map(() => 'failed together' as const)
  }
}

/**
 * How many of the first saves may share a transaction: up to one that names an asset of an earlier one, because both would
 * write the same rows. The question to catalog must fit into one request.
 */
export function countSharing(saves: readonly SavedKeys[]): number {
  const named = new Set<string>()
  let room = 0
  const end = saves.findIndex((save, i) => {
    room += roomOf(save)
    if (i === MAX_SAVES || room > MAX_ASSET_KEYS || save.assetKeys.some((key) => named.has(key))) return true
    for (const key of save.assetKeys) named.add(key)
    return false
  })
  return end === -1 ? saves.length : end
}
