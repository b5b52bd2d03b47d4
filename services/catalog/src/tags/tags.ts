import { MAX_TAGS, type TagCreate, type TagView } from '@whereabouts/contracts/resources/catalog/tags'
import { enqueueChanges } from '../changes/messages/enqueue-changes.ts'
import { attached, detached, type TagOwner } from '../changes/messages/changes.ts'
import type { Tx } from '../db.ts'
import { tagNotFound, tooManyTags } from '../errors.ts'
import { countTags, deleteTag, insertTag, lockOwner, ownerOf, type Owner } from './tags.queries.ts'
import { toTagView } from './tags.views.ts'

/**
 * Adds a tag to an owner whose row the caller has locked, and publishes the tag. Throws `tagExists` and
 * `tooManyTags`.
 */
export async function attach(tx: Tx, orgId: number, owner: TagOwner, wanted: TagCreate): Promise<TagView> {
  const tag = await insertTag(tx, orgId, ownerOf(owner), wanted)
  if ((await countTags(tx, orgId, ownerOf(owner))) > MAX_TAGS) throw tooManyTags()
  await enqueueChanges(tx, attached(tag, owner))
  return toTagView(tag)
}

/** Locks the owner, removes a tag of it, and publishes that it is removed. Throws `tagNotFound`. */
export async function detach(tx: Tx, orgId: number, owner: Owner, id: number): Promise<void> {
  const locked = await lockOwner(tx, orgId, owner)
  const tag = locked && (await deleteTag(tx, orgId, owner, id))
  if (!tag) throw tagNotFound()
  await enqueueChanges(tx, detached(tag, locked))
}
