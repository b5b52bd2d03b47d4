import { audited, changesOf } from '@whereabouts/db/outbox/audit'
import { enqueueAll, type Queued } from '@whereabouts/db/outbox/outbox'
import type { InventorySave, InventorySaved } from '@whereabouts/contracts/resources/tracking/inventory'
import type { AssetIdentity, LocationPlace } from '@whereabouts/contracts/messages/catalog-state'
import { beginOnce, keepReply } from '@whereabouts/db/answers/kept-answers'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import type { KeyedRequest } from '@whereabouts/service-kit/http/headers/idempotency'
import { Reply } from '@whereabouts/service-kit/http/serve'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { currentTrace, withTrace, type Trace } from '@whereabouts/service-kit/observe/trace'
import type { Tables, Tx } from '../../db.ts'
import { keysUnresolved } from '../../errors.ts'
import { commitWithNames, type InTransaction } from '../rows/names.ts'
import { placeSave, type Save } from '../../positions/saves.ts'
import type { StoreDeps } from '../rows/decide-all.ts'
import { storeSaves, type CauseOf } from '../rows/store.ts'
import { instantsOfSave, withDays } from '../../positions/partitions/missing-days.ts'
import { lockPositions, type LockOptions } from '../../positions/lock-positions.queries.ts'
import { byAsset } from '../../positions/position.ts'
import type { AskCatalog, CatalogResolver } from '../../catalog/catalog-resolver.ts'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import { storeStates } from './inventory.queries.ts'
import { findSaveTargets, type SavedKeys, type SaveTargets } from './save-targets.ts'

export type InventoryDeps = {
  db: TenantDatabase<Tables>
  view: CatalogView
  ask: AskCatalog
  resolver: CatalogResolver
  /** Called after a commit that put movements into the outbox. */
  wakeOutbox: () => void
  log: Logger
  rulesOf: StoreDeps['rulesOf']
  book: StoreDeps['book']
  now?: () => number
}

/** A save and the trace of its request, which its events keep also in the transaction of another request. */
export type RequestedSave = SavedKeys & { cause: Trace | undefined }

export const requestedSave = (body: InventorySave): RequestedSave => ({
  assetKeys: [...new Set(body.asset_identifiers)],
  locationKey: body.location_identifier,
  cause: currentTrace(),
})

/** The live resources that a save names. */
type Resolved = { assets: AssetIdentity[]; location: LocationPlace; cause: Trace | undefined }

/**
 * Saves that assets are at a location now (D8.5), for requests of one organization of which no two name one asset. Each
 * is all or nothing: if a key names nothing, its result is an error with all such keys. The others share a transaction.
 * `named`: the name that the caller gave to the request of the only save (D12.8). Throws CatalogUnavailable.
 */
export async function saveInventory(
  deps: InventoryDeps,
  orgId: number,
  saves: readonly RequestedSave[],
  { named, ...lockOptions }: LockOptions & { named?: KeyedRequest | undefined } = {},
): Promise<(InventorySaved | AppError)[]> {
  const { ask, resolver, now = Date.now } = deps
  const targets = await findSaveTargets(ask, orgId, saves)
  const outcomes = saves.map((save) => resolve(save, targets))
  const resolved = outcomes.filter((outcome): outcome is Resolved => !(outcome instanceof AppError))
  const [assets, locations] = [resolved.flatMap((save) => save.assets), resolved.map((save) => save.location)]
  resolver.apply({ assets, locations, tags: [] })
  const savedAtMs = now()
  const timestamp = new Date(savedAtMs).toISOString()
  const results = outcomes.map((outcome) => {
    if (outcome instanceof AppError) return outcome
    const { id, name } = outcome.location
    return { count: outcome.assets.length, location_id: id, location_name: name, timestamp }
  })
  const keepAnswer = async (tx: Tx) => keepReply(tx, named, new Reply({ data: results[0] }, {}))
  if (resolved.length > 0)
    await store(deps, orgId, resolved, { savedAtMs, named, keepAnswer, ...lockOptions })
  return results
}

function resolve(
  { assetKeys, locationKey, cause }: RequestedSave,
  targets: SaveTargets,
): Resolved | AppError {
  const location = targets.locations.get(locationKey)
  const assets = assetKeys.flatMap((key) => targets.assets.get(key) ?? [])
  const unresolved = assetKeys.filter((key) => !targets.assets.has(key))
  const refusal = keysUnresolved(location ? undefined : locationKey, unresolved)
  if (refusal) return refusal
  if (!location) throw new Error('a location that is missing is among the unresolved')
  return { assets, location, cause }
}

type StoreOptions = LockOptions & {
  savedAtMs: number
  named: KeyedRequest | undefined
  keepAnswer: (tx: Tx) => Promise<void>
}

async function store(
  { db, view, resolver, wakeOutbox, rulesOf, book }: InventoryDeps,
  orgId: number,
  saves: readonly Resolved[],
  { savedAtMs, named, keepAnswer, ...lockOptions }: StoreOptions,
): Promise<void> {
  const inTransaction: InTransaction = (work) =>
    withDays(db.forOrg(orgId), instantsOfSave(savedAtMs), () => db.transaction(orgId, work))
  const assets = saves.flatMap((save) => save.assets)
  const locations = saves.map((save) => save.location)
  const keys = assets.map(({ id }) => ({ orgId, assetId: id }))
  const { movements } = await commitWithNames(resolver, inTransaction, async (tx) => {
    await beginOnce(tx, named)
    const current = await lockPositions(tx, keys, lockOptions)
    await storeStates(tx, orgId, assets, locations)
    const positions = byAsset(current)
    const rows = saves.flatMap((save) => placeSave(positions, toSave(orgId, save, savedAtMs)))
    const stored = await storeSaves(tx, { view, rulesOf, book }, current, rows, causeOf(saves))
    await keepAnswer(tx)
    await enqueueAll(
      tx,
      saves.flatMap((save) => actOf(orgId, save)),
    )
    return stored
  })
  if (movements > 0) wakeOutbox()
}

/** One row for each request, also of those that share a transaction. It has the keys of at most `MOST_KEYS` assets. */
function actOf(orgId: number, { assets, location, cause }: Resolved): Queued[] {
  const keys = assets.slice(0, MOST_KEYS).map(({ external_key }) => external_key)
  const saved = { location: location.external_key, count: assets.length, assets: keys }
  const act = {
    action: 'inventory.create',
    subject: { type: 'inventory', id: location.id, external_key: location.external_key },
    changes: changesOf(undefined, saved),
  }
  return cause ? withTrace(cause, () => audited(orgId, [act])) : []
}

const MOST_KEYS = 200

const toSave = (orgId: number, { assets, location }: Resolved, savedAtMs: number): Save => ({
  orgId,
  assetIds: assets.map(({ id }) => id),
  locationId: location.id,
  savedAtMs,
})

/** Undefined for a single save, because its request is the current one. */
function causeOf(saves: readonly Resolved[]): CauseOf | undefined {
  if (saves.length < 2) return undefined
  const causes = new Map(saves.flatMap(({ assets, cause }) => assets.map(({ id }) => [id, cause])))
  return (assetId) => causes.get(assetId)
}
