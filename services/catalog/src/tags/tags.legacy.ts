import type { LegacyIdentifierCreate, LegacyIdentifierView } from '@whereabouts/contracts/legacy/identifiers'
import { tagState } from '@whereabouts/contracts/messages/catalog-state'
import { LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import type { TagCreate, TagView } from '@whereabouts/contracts/tags'
import { enqueue } from '@whereabouts/db/outbox'
import { Reply, type Handlers } from '@whereabouts/service-kit/serve'
import type { Tx } from '../db.ts'
import { tagExists } from '../errors.ts'
import { lockIdByKey } from '../external-keys/external-keys.queries.ts'
import type { RunInTransaction } from '../transactions/transactions.ts'
import { columnOf, deleteTags, insertTags, listTags, type Owner } from './tags.queries.ts'
import { attach, detach } from './tags.ts'
import { toTagState } from './tags.views.ts'

/** Views contain only live tags, so all are active. */
export const toLegacyIdentifier = ({ id, tag_type, value }: TagView): LegacyIdentifierView => ({
  id,
  type: tag_type,
  value,
  is_active: true,
})

export const toTagCreate = ({ type, value }: LegacyIdentifierCreate): TagCreate => ({ tag_type: type, value })

/**
 * Replaces the tags of an owner whose row the caller has locked, and publishes added and removed tags. Tags in both
 * lists do not change. Throws `tagExists` for a tag that another owner has, or that is twice in the list.
 */
export async function replaceTags(
  tx: Tx,
  orgId: number,
  owner: Owner,
  wanted: readonly LegacyIdentifierCreate[],
): Promise<void> {
  const [column, ownerId] = columnOf(owner)
  const stored = await listTags(tx, orgId, column, [ownerId])
  const { missing, surplus } = tagChanges(stored, wanted.map(toTagCreate))
  // Inserts first, because a transaction that waits for a tag must not hold a tag that the other waits for.
  const added = await insertTags(tx, orgId, owner, missing)
  const removed = await deleteTags(tx, orgId, owner, surplus)
  await enqueue(tx, tagState, [...added, ...removed].map(toTagState))
}

/** The tags to attach, in the order given, and the ids to remove. Throws `tagExists`. */
export function tagChanges(
  stored: readonly TagView[],
  wanted: readonly TagCreate[],
): { missing: TagCreate[]; surplus: number[] } {
  const surplus = new Map(stored.map((tag) => [nameOf(tag), tag.id]))
  const named = new Set<string>()
  const missing = wanted.filter((tag) => {
    const name = nameOf(tag)
    if (named.has(name)) throw tagExists(tag.tag_type, tag.value)
    named.add(name)
    return !surplus.delete(name)
  })
  return { missing, surplus: [...surplus.values()] }
}

const nameOf = ({ tag_type, value }: TagCreate | TagView) => `${tag_type}:${value}`

export const legacyTagHandlers = ({ runInTransaction }: { runInTransaction: RunInTransaction }) =>
  ({
    async attachLegacyAssetTag({ principal: { orgId }, params: { identifier }, body }) {
      const tag = await runInTransaction(orgId, async (tx) => {
        const asset_id = await lockIdByKey(tx, orgId, 'asset', identifier)
        return attach(tx, orgId, { asset_id }, toTagCreate(body))
      })
      return attached(`assets/${identifier}`, tag)
    },

    async detachLegacyAssetTag({ principal: { orgId }, params: { identifier, tag_id } }) {
      await runInTransaction(orgId, async (tx) => {
        const asset_id = await lockIdByKey(tx, orgId, 'asset', identifier)
        await detach(tx, orgId, { asset_id }, tag_id)
      })
      return undefined
    },

    async attachLegacyLocationTag({ principal: { orgId }, params: { identifier }, body }) {
      const tag = await runInTransaction(orgId, async (tx) => {
        const location_id = await lockIdByKey(tx, orgId, 'location', identifier)
        return attach(tx, orgId, { location_id }, toTagCreate(body))
      })
      return attached(`locations/${identifier}`, tag)
    },

    async detachLegacyLocationTag({ principal: { orgId }, params: { identifier, tag_id } }) {
      await runInTransaction(orgId, async (tx) => {
        const location_id = await lockIdByKey(tx, orgId, 'location', identifier)
        await detach(tx, orgId, { location_id }, tag_id)
      })
      return undefined
    },
  }) satisfies Partial<Handlers<'catalog'>>

const attached = (owner: string, tag: TagView) =>
  new Reply({ data: toLegacyIdentifier(tag) }, { location: `${LEGACY_PREFIX}/${owner}/tags/${tag.id}` })
