import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import type { LocationView } from '@whereabouts/contracts/resources/catalog/locations'
import type { Holder, LostTag } from '@whereabouts/contracts/resources/catalog/restore'
import { withEpc } from '@whereabouts/contracts/resources/catalog/tags'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import { enqueueChanges } from '../../changes/messages/enqueue-changes.ts'
import { toAssetView } from '../assets.views.ts'
import { restored } from '../../changes/messages/changes.ts'
import type { Db, TagRow, Tx } from '../../db.ts'
import {
  assetNotFound,
  keyNeeded,
  locationInsideItself,
  locationNotFound,
  notDeleted,
  parentDeleted,
  parentNotFound,
} from '../../errors.ts'
import { lockKeys } from '../../tags/external-keys/external-keys.queries.ts'
import type { KeyedTable } from '../../tags/external-keys/minted-keys.ts'
import { pinParent } from '../../locations/locations.queries.ts'
import { toLocationView } from '../../locations/locations.views.ts'
import { isInside, lockTree } from '../../locations/moves.queries.ts'
import type { HandlerDeps } from '../../changes/transactions/transactions.ts'
import { listDeletedTags, restoreTags, TagTakenMeanwhile, type DeletedTag } from './deleted-tags.queries.ts'
import {
  findAnyAsset,
  findAnyLocation,
  findAnyParent,
  findKeyHolder,
  lockAnyRow,
  restoreAssetRow,
  restoreLocationRow,
} from './undelete.queries.ts'

/** Deleted rows are kept for ever, so a restore has no time limit (ADR 52). */
export const undeleteHandlers = ({ db, runInTransaction }: HandlerDeps) =>
  ({
    async previewAssetRestore({ principal: { orgId }, params: { asset_id } }) {
      const own = db.forOrg(orgId)
      const row = await findAnyAsset(own, orgId, asset_id)
      if (!row) throw assetNotFound()
      const tags = await listDeletedTags(own, orgId, { asset_id })
      const holder = await keyHolder(own, orgId, 'asset', row)
      return {
        data: { asset: toAssetView(row, row.tags), tags: tags.map(toTagToRestore), key_held_by: holder },
      }
    },

    async restoreAsset({ principal: { orgId }, params: { asset_id }, body: { external_key } }) {
      const restore = async (tx: Tx) => {
        const row = await lockAnyRow(tx, orgId, 'asset', asset_id)
        if (!row) throw assetNotFound()
        const key = external_key ?? row.external_key
        if (row.deleted_at === null) {
          if (key !== row.external_key) throw notDeleted('asset', row.external_key)
          return { data: await readAsset(tx, orgId, asset_id), tags_not_restored: [] }
        }
        await claimKey(tx, orgId, 'asset', key)
        const before = await readAsset(tx, orgId, asset_id)
        const tags = await listDeletedTags(tx, orgId, { asset_id })
        const asset = await restoreAssetRow(tx, orgId, asset_id, key)
        const { restored: back, lost } = await giveBack(tx, orgId, tags)
        const data = await readAsset(tx, orgId, asset_id)
        await enqueueChanges(tx, restored('asset', asset, data, before, back))
        return { data, tags_not_restored: lost }
      }
      return againIfTagTaken(() => runInTransaction(orgId, restore, 'asset keys'))
    },

    async previewLocationRestore({ principal: { orgId }, params: { location_id } }) {
      const own = db.forOrg(orgId)
      const row = await findAnyLocation(own, orgId, location_id)
      if (!row) throw locationNotFound()
      const tags = await listDeletedTags(own, orgId, { location_id })
      const holder = await keyHolder(own, orgId, 'location', row)
      const parent = row.parent_id === null ? undefined : await findAnyParent(own, orgId, row.parent_id)
      const location = toLocationView(row, row.tags)
      return {
        data: { location, parent: parent ?? null, tags: tags.map(toTagToRestore), key_held_by: holder },
      }
    },

    /** Locks in the order of all changes: the tree, the row, its parent, keys, tags. */
    async restoreLocation({ principal: { orgId }, params: { location_id }, body }) {
      const restore = async (tx: Tx) => {
        await lockTree(tx, orgId)
        const row = await lockAnyRow(tx, orgId, 'location', location_id)
        if (!row) throw locationNotFound()
        const key = body.external_key ?? row.external_key
        const wanted = body.parent_id === undefined ? row.parent_id : body.parent_id
        if (row.deleted_at === null) {
          if (key !== row.external_key || wanted !== row.parent_id)
            throw notDeleted('location', row.external_key)
          return { data: await readLocation(tx, orgId, location_id), tags_not_restored: [] }
        }
        await pinLiveParent(tx, orgId, row, body.parent_id)
        await claimKey(tx, orgId, 'location', key)
        const before = await readLocation(tx, orgId, location_id)
        const tags = await listDeletedTags(tx, orgId, { location_id })
        const location = await restoreLocationRow(tx, orgId, location_id, { key, parentId: wanted })
        const { restored: back, lost } = await giveBack(tx, orgId, tags)
        const data = await readLocation(tx, orgId, location_id)
        await enqueueChanges(tx, restored('location', location, data, before, back))
        return { data, tags_not_restored: lost }
      }
      return againIfTagTaken(() => runInTransaction(orgId, restore, 'location tree'))
    },
  }) satisfies Partial<Handlers<'catalog'>>

const toTagToRestore = ({ tag_type, value, held_by }: DeletedTag) => withEpc({ tag_type, value, held_by })

/** Who has the key of a deleted row now. A live row has its key itself. */
async function keyHolder(
  db: Db,
  orgId: number,
  table: KeyedTable,
  { external_key, deleted_at }: { external_key: string; deleted_at: string | null },
): Promise<Holder | null> {
  return deleted_at === null ? null : ((await findKeyHolder(db, orgId, table, external_key)) ?? null)
}

/** Takes `lockKeys`, like a rename: otherwise the key could take a number that is being minted (D4.4). */
async function claimKey(tx: Tx, orgId: number, table: KeyedTable, key: string): Promise<void> {
  await lockKeys(tx, orgId, table)
  const holder = await findKeyHolder(tx, orgId, table, key)
  if (holder) throw keyNeeded(table, key, holder.name)
}

/**
 * Pins the parent, so that it stays live until the commit. `sent` is the parent of the request; undefined means the
 * parent that the location had. A location never moves without the consent of the caller.
 */
async function pinLiveParent(
  tx: Tx,
  orgId: number,
  { id, external_key, parent_id }: { id: number; external_key: string; parent_id: number | null },
  sent: number | null | undefined,
): Promise<void> {
  const wanted = sent === undefined ? parent_id : sent
  if (wanted === null) return
  const parent = await pinParent(tx, orgId, { id: wanted })
  if (!parent && sent !== undefined) throw parentNotFound('parent_id')
  if (!parent) throw parentDeleted(await findAnyParent(tx, orgId, wanted))
  // A live location has only live ancestors, so this cannot be true. It is checked because a circle would be lasting.
  if (await isInside(tx, orgId, parent.id, id)) throw locationInsideItself(external_key)
}

type GivenBack = { restored: TagRow[]; lost: LostTag[] }

/** Restores the tags that nobody else has. */
async function giveBack(tx: Tx, orgId: number, tags: readonly DeletedTag[]): Promise<GivenBack> {
  const free = tags.filter(({ held_by }) => held_by === null)
  const back = await restoreTags(
    tx,
    orgId,
    free.map(({ id }) => id),
  )
  const lost = tags.flatMap(({ tag_type, value, held_by }) =>
    held_by ? [withEpc({ tag_type, value, held_by })] : [],
  )
  return { restored: back, lost }
}

/** Deleted or not. */
async function readAsset(tx: Tx, orgId: number, id: number): Promise<AssetView> {
  const row = await findAnyAsset(tx, orgId, id)
  if (!row) throw assetNotFound()
  return toAssetView(row, row.tags)
}

/** Deleted or not. */
async function readLocation(tx: Tx, orgId: number, id: number): Promise<LocationView> {
  const row = await findAnyLocation(tx, orgId, id)
  if (!row) throw locationNotFound()
  return toLocationView(row, row.tags)
}

const ATTEMPTS = 3

/** A tag that was free may be attached elsewhere before it is restored. The next attempt finds its new owner. */
async function againIfTagTaken<T>(restore: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await restore()
    } catch (error) {
      if (!(error instanceof TagTakenMeanwhile)) throw error
      if (attempt === ATTEMPTS) throw serviceUnavailable(error)
    }
}
