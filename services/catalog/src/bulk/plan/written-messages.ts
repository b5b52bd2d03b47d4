import type { Queued } from '@whereabouts/db/outbox/outbox'
import { mapInSlices } from '@whereabouts/service-kit/limits/slices'
import { toAssetView } from '../../assets/assets.views.ts'
import { attached, created, detached, updated, type TagOwner } from '../../changes/messages/changes.ts'
import type { AssetRow, LocationRow, TagRow } from '../../db.ts'
import { toLocationView } from '../../locations/locations.views.ts'
import type { Change, Resource } from './plan.ts'

type Batch = {
  table: 'asset' | 'location'
  changes: readonly Change[]
  /** By key. */
  ids: ReadonlyMap<string, number>
  /** As they are now. */
  rows: readonly (AssetRow & LocationRow)[]
  removed: readonly TagRow[]
  /** In the order of `created_at`. */
  added: readonly TagRow[]
  /** The live tags of those `rows` that existed before, oldest first. */
  kept: readonly TagRow[]
}

const ownerIdOf = ({ asset_id, location_id }: TagRow) => asset_id ?? location_id ?? 0

/**
 * The messages of a batch, with one event for each resource that was created or changed, and for each tag of those that
 * existed. A tag leaves its owner before another has it, because it may move within a batch.
 */
export async function messagesOf({ table, changes, ids, ...batch }: Batch): Promise<Queued[]> {
  const byId = new Map(changes.map((change) => [ids.get(change.after.key) ?? 0, change]))
  const added = Map.groupBy(batch.added, ownerIdOf)
  const kept = Map.groupBy(batch.kept, ownerIdOf)
  const ownerOf = (tag: TagRow): TagOwner => {
    const id = ownerIdOf(tag)
    const after = byId.get(id)?.after
    const { name = '', type = null } = after?.fields ?? {}
    return { kind: table, id, external_key: after?.key ?? '', name, type }
  }
  const isOld = (tag: TagRow) => byId.get(ownerIdOf(tag))?.before !== undefined
  const ofRow = (row: AssetRow & LocationRow): Queued[] => {
    const change = byId.get(row.id)
    const before = change?.before
    const own = (before ? kept : added).get(row.id) ?? []
    const parent_external_key = change?.after.fields.parent_external_key ?? null
    if (table === 'asset') {
      const home_location_external_key = change?.after.fields.home_location_external_key ?? null
      const view = toAssetView({ ...row, home_location_external_key }, own)
      return before ? updated('asset', row, view, shown(before)) : created('asset', row, view, own)
    }
    const view = toLocationView({ ...row, parent_external_key }, own)
    return before ? updated('location', row, view, shown(before)) : created('location', row, view, own)
  }
  const rows = (await mapInSlices(batch.rows, ofRow)).flat()
  const losses = batch.removed.flatMap((tag) => detached(tag, ownerOf(tag)))
  const gains = batch.added.filter(isOld).flatMap((tag) => attached(tag, ownerOf(tag)))
  const isEvent = ({ keep }: Queued) => keep === 'all'
  return [
    ...[...rows, ...losses, ...gains].filter((message) => !isEvent(message)),
    ...[...losses, ...rows, ...gains].filter(isEvent),
  ]
}

const inMilliseconds = (instant: string) => `${instant.slice(0, 23)}Z`

/** What the plan knows of a stored resource, as views show it. */
const shown = ({ fields, parentId, homeId }: Resource) => ({
  ...fields,
  valid_from: inMilliseconds(fields.valid_from),
  valid_to: fields.valid_to && inMilliseconds(fields.valid_to),
  ...(parentId !== undefined && { parent_id: parentId }),
  ...(homeId !== undefined && { home_location_id: homeId }),
})
