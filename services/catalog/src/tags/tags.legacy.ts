import type { LegacyIdentifierCreate, LegacyIdentifierView } from '@whereabouts/contracts/legacy/identifiers'
import { LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import type { TagCreate, TagView } from '@whereabouts/contracts/resources/catalog/tags'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { enqueueChanges } from '../changes/messages/enqueue-changes.ts'
import type { Tx } from '../db.ts'
import { attached, detached, type TagOwner } from '../changes/messages/changes.ts'
import { tagExists } from '../errors.ts'
import { lockByKey, lockIdByKey } from './external-keys/external-keys.queries.ts'
import type { RunInTransaction } from '../changes/transactions/transactions.ts'
import { columnOf, deleteTags, insertTags, listTags, ownerOf, uniqueName } from './tags.queries.ts'
import { attach, detach } from './tags.ts'

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
  named: TagOwner,
  wanted: readonly LegacyIdentifierCreate[],
): Promise<void> {
  const owner = ownerOf(named)
  const [column, ownerId] = columnOf(owner)
  const stored = await listTags(tx, orgId, column, [ownerId])
  const { missing, surplus } = tagChanges(stored, wanted.map(toTagCreate))
  // Inserts first, because a transaction that waits for a tag must not hold a tag that the other waits for.
  const added = await insertTags(tx, orgId, owner, missing)
  const removed = await deleteTags(tx, orgId, owner, surplus)
  await enqueueChanges(tx, [
    ...added.flatMap((tag) => attached(tag, named)),
    ...removed.flatMap((tag) => detached(tag, named)),
  ])
}

/** The tags to attach, in the order given, and the ids to remove. Throws `tagExists`. */
export function tagChanges(
  stored: readonly TagView[],
  wanted: readonly TagCreate[],
): { missing: TagCreate[]; surplus: number[] } {
  const surplus = new Map(stored.map((tag) => [uniqueName(tag), tag.id]))
  const named = new Set<string>()
  const missing = wanted.filter((tag) => {
    const name = uniqueName(tag)
    if (named.has(name)) throw tagExists(tag.tag_type, tag.value)
    named.add(name)
    return !surplus.delete(name)
  })
  return { missing, surplus: [...surplus.values()] }
}

type AttachRequest = {
  principal: { orgId: number }
  params: { identifier: string }
  body: LegacyIdentifierCreate
}
type DetachRequest = { principal: { orgId: number }; params: { identifier: string; tag_id: number } }

/** The paths below `tags` and below `identifiers` are the same operations (D17.1). */
export const legacyTagHandlers = ({ runInTransaction }: { runInTransaction: RunInTransaction }) => {
  const attachTo =
    (owner: 'asset' | 'location', list: 'tags' | 'identifiers') =>
    async ({ principal: { orgId }, params: { identifier }, body }: AttachRequest) => {
      const tag = await runInTransaction(orgId, async (tx) => {
        return attach(tx, orgId, await lockByKey(tx, orgId, owner, identifier), toTagCreate(body))
      })
      const location = `${LEGACY_PREFIX}/${owner}s/${identifier}/${list}/${tag.id}`
      return new Reply({ data: toLegacyIdentifier(tag) }, { location })
    }
  const detachFrom =
    (owner: 'asset' | 'location') =>
    async ({ principal: { orgId }, params: { identifier, tag_id } }: DetachRequest) => {
      await runInTransaction(orgId, async (tx) => {
        const id = await lockIdByKey(tx, orgId, owner, identifier)
        await detach(tx, orgId, ownerOf({ kind: owner, id }), tag_id)
      })
      return undefined
    }
  return {
    attachLegacyAssetTag: attachTo('asset', 'tags'),
    detachLegacyAssetTag: detachFrom('asset'),
    attachLegacyLocationTag: attachTo('location', 'tags'),
    detachLegacyLocationTag: detachFrom('location'),
    attachLegacyAssetIdentifier: attachTo('asset', 'identifiers'),
    detachLegacyAssetIdentifier: detachFrom('asset'),
    attachLegacyLocationIdentifier: attachTo('location', 'identifiers'),
    detachLegacyLocationIdentifier: detachFrom('location'),
  } satisfies Partial<Handlers<'catalog'>>
}
