import type { AssetPlaced } from '@whereabouts/contracts/messages/asset-placed'
import type { Tx } from '../../db.ts'
import { commitWithNames, type InTransaction } from '../rows/names.ts'
import type { Observation } from '../../positions/observation.ts'
import { placeLateSave, placeSave, type Save } from '../../positions/saves.ts'
import { lockPositions } from '../../positions/lock-positions.queries.ts'
import { byAsset, type Position } from '../../positions/position.ts'
import { NOTHING_STORED, storeSaves, type Stored } from '../rows/store.ts'
import { instantsOfSave, withDays } from '../../positions/partitions/missing-days.ts'
import { storeStates } from './inventory.queries.ts'
import { findRowOfMinute, lastPlacedAt, recordPlacedAt } from './placement.queries.ts'
import type { InventoryDeps } from './save.ts'

export type PlacementDeps = Pick<
  InventoryDeps,
  'db' | 'view' | 'resolver' | 'wakeOutbox' | 'rulesOf' | 'book' | 'now'
>

/** A placement younger than this is prompt. Longer than catalog waits for our reply. */
const PROMPT_MS = 3_000

/**
 * Records the location that came with an asset (D1.6) as an inventory save at `placed_at`. A prompt one is the newest
 * fact of the asset, like any save (ADR 20). A late one keeps rows of later minutes (D8.7). Safe to repeat, in any
 * order, and next to another replica. Throws CatalogUnavailable.
 */
export async function recordPlacement(
  deps: PlacementDeps,
  placed: AssetPlaced,
  signal?: AbortSignal,
): Promise<void> {
  const { db, resolver, wakeOutbox } = deps
  resolver.apply({ assets: [placed.asset], locations: [placed.location], tags: [] })
  const months = instantsOfSave(Date.parse(placed.placed_at))
  const inTransaction: InTransaction = (work) =>
    withDays(db.forOrg(placed.org_id), months, () => db.transaction(placed.org_id, work))
  const record = (tx: Tx) => recordOnce(tx, deps, placed)
  const { movements } = await commitWithNames(resolver, inTransaction, record, signal)
  if (movements > 0) wakeOutbox()
}

async function recordOnce(
  tx: Tx,
  { view, rulesOf, book, now = Date.now }: PlacementDeps,
  { org_id: orgId, asset, location, placed_at }: AssetPlaced,
): Promise<Stored> {
  const key = { orgId, assetId: asset.id }
  const savedAtMs = Date.parse(placed_at)
  const current = await lockPositions(tx, [key])
  const lastMs = await lastPlacedAt(tx, key)
  if (lastMs === savedAtMs) return NOTHING_STORED
  await storeStates(tx, orgId, [asset], [location])
  await recordPlacedAt(tx, key, savedAtMs)
  const isNewest = lastMs === undefined || lastMs < savedAtMs
  const save = { orgId, assetIds: [asset.id], locationId: location.id, savedAtMs } as const
  const rows =
    isNewest && now() - savedAtMs < PROMPT_MS
      ? placeSave(byAsset(current), save)
      : await placeLate(tx, current, save)
  return rows.length === 0 ? NOTHING_STORED : storeSaves(tx, { view, rulesOf, book }, current, rows)
}

async function placeLate(
  tx: Tx,
  current: readonly Position[],
  save: Save & { assetIds: readonly [number] },
): Promise<Observation[]> {
  const key = { orgId: save.orgId, assetId: save.assetIds[0] }
  return placeLateSave(current, save, await findRowOfMinute(tx, key, save.savedAtMs))
}
