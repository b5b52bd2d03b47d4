import { tagState } from '@whereabouts/contracts/messages/catalog-state'
import { MAX_TAGS, type TagCreate, type TagView } from '@whereabouts/contracts/resources/catalog/tags'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import type { Tx } from '../db.ts'
import { tagNotFound, tooManyTags } from '../errors.ts'
import { countTags, deleteTag, insertTag, lockOwner, type Owner } from './tags.queries.ts'
import { toTagState, toTagView } from './tags.views.ts'

/**
 * Adds a tag to an owner whose row the caller has locked, and publishes the tag. Throws `tagExists` and
 * `tooManyTags`.
 */
export async function attach(tx: Tx, orgId: number, owner: Owner, wanted: TagCreate): Promise<TagView> {
  const tag = await insertTag(tx, orgId, owner, wanted)
  if ((await countTags(tx, orgId, owner)) > MAX_TAGS) throw tooManyTags()
  await enqueue(tx, tagState, [toTagState(tag)])
  return toTagView(tag)
}

/** Locks the owner, removes a tag of it, and publishes the new state of the tag. Throws `tagNotFound`. */
export async function detach(tx: Tx, orgId: number, owner: Owner, id: number): Promise<void> {
  await lockOwner(tx, orgId, owner)
  const tag = await deleteTag(tx, orgId, owner, id)
  if (!tag) throw tagNotFound()
  await enqueue(tx, tagState, [toTagState(tag)])
}
