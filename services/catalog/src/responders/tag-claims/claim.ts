import type { TagState } from '@whereabouts/contracts/messages/catalog-state'
import type { TagCreate } from '@whereabouts/contracts/resources/catalog/tags'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { mustReferToSameResource, validationFailed } from '@whereabouts/service-kit/errors/errors'
import { lockAsset } from '../../assets/assets.queries.ts'
import type { TagOwner } from '../../changes/messages/changes.ts'
import type { Tx } from '../../db.ts'
import { lockIdByKey } from '../../tags/external-keys/external-keys.queries.ts'
import type { KeyedTable } from '../../tags/external-keys/minted-keys.ts'
import { lockLocation } from '../../locations/locations.queries.ts'
import { columnOf, listTags, ownerOf, uniqueName, type Owner } from '../../tags/tags.queries.ts'
import { attach } from '../../tags/tags.ts'
import { toTagState } from '../../changes/messages/states.ts'
import type { RunInTransaction } from '../../changes/transactions/transactions.ts'

type Fields = 'asset_id' | 'asset_external_key' | 'location_id' | 'location_external_key'

/** The owner of the tag: an asset or a location, by id, by key, or by both. */
export type OwnerRef = { asset_id?: number | undefined; asset_external_key?: string | undefined } & {
  location_id?: number | undefined
  location_external_key?: string | undefined
}

type Claim = { tag: TagState; owner_external_key: string }

/**
 * Attaches a tag like the API. Returns a tag that the owner already has, because requests over the broker may repeat.
 */
export const claim = (
  runInTransaction: RunInTransaction,
  orgId: number,
  ref: OwnerRef,
  tag: TagCreate,
): Promise<Claim> =>
  runInTransaction(orgId, async (tx) => {
    const isAsset = ref.asset_id !== undefined || ref.asset_external_key !== undefined
    const named = await lockOwnerRow(tx, orgId, isAsset ? 'asset' : 'location', ref)
    const owner = ownerOf(named)
    const stored = await findTag(tx, orgId, owner, tag)
    if (!stored) await attach(tx, orgId, named, tag)
    const attached = stored ?? (await findTag(tx, orgId, owner, tag))
    if (!attached) throw new Error('the attached tag is missing')
    return { tag: attached, owner_external_key: named.external_key }
  })

/** Resolves the key first (D5.3). Errors name the sent field. */
async function lockOwnerRow(tx: Tx, orgId: number, table: KeyedTable, ref: OwnerRef): Promise<TagOwner> {
  const [idField, keyField] = [`${table}_id`, `${table}_external_key`] as const
  const [sentId, sentKey] = [ref[idField], ref[keyField]]
  const byKey = sentKey === undefined ? undefined : await idByKey(tx, orgId, table, keyField, sentKey)
  const id = byKey ?? sentId
  const row = id === undefined ? undefined : await lockRow(tx, orgId, table, id)
  if (!row) throw unresolved(byKey === undefined ? idField : keyField)
  if (sentId === undefined || sentId === row.id) return { kind: table, type: null, ...row }
  throw (await lockRow(tx, orgId, table, sentId))
    ? validationFailed(mustReferToSameResource(idField, keyField))
    : unresolved(idField)
}

const lockRow = (tx: Tx, orgId: number, table: KeyedTable, id: number) =>
  table === 'asset' ? lockAsset(tx, orgId, id) : lockLocation(tx, orgId, id)

const idByKey = (tx: Tx, orgId: number, table: KeyedTable, field: Fields, key: string) =>
  lockIdByKey(tx, orgId, table, key).catch((error: unknown) => {
    throw error instanceof AppError && error.type === 'not_found' ? unresolved(field) : error
  })

async function findTag(tx: Tx, orgId: number, owner: Owner, wanted: TagCreate) {
  const [column, ownerId] = columnOf(owner)
  const tags = await listTags(tx, orgId, column, [ownerId])
  const found = tags.find((tag) => uniqueName(tag) === uniqueName(wanted))
  return found && toTagState(found)
}

const unresolved = (field: Fields) => {
  const kind = field.startsWith('asset') ? 'asset' : 'location'
  return validationFailed([{ field, code: 'fk_not_found', message: `${field} does not name a live ${kind}` }])
}
