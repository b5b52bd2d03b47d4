import { tagState } from '@whereabouts/contracts/messages/catalog-state'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import { MAX_TAGS, type TagCreate, type TagView } from '@whereabouts/contracts/tags'
import { enqueue } from '@whereabouts/db/outbox'
import { Answer, type Handlers } from '@whereabouts/service-kit/serve'
import { lockAsset } from '../assets/assets.queries.ts'
import type { Change } from '../change.ts'
import type { Tx } from '../db.ts'
import { assetNotFound, locationNotFound, tagNotFound, tooManyTags } from '../errors.ts'
import { lockLocation } from '../locations/locations.queries.ts'
import { countTags, deleteTag, insertTag, type Owner } from './tags.queries.ts'
import { toTagState, toTagView } from './tags.views.ts'

/** Neither attaching nor detaching touches the owner's `updated_at` (D6.4). */
export const tagHandlers = ({ change }: { change: Change }) =>
  ({
    async attachAssetTag({ principal: { orgId }, params: { asset_id }, body }) {
      const tag = await change(orgId, async (tx) => {
        if (!(await lockAsset(tx, orgId, asset_id))) throw assetNotFound()
        return attach(tx, orgId, { asset_id }, body)
      })
      return new Answer({ data: tag }, { location: `${API_PREFIX}/assets/${asset_id}/tags/${tag.id}` })
    },

    async detachAssetTag({ principal: { orgId }, params: { asset_id, tag_id } }) {
      await change(orgId, async (tx) => detach(tx, orgId, { asset_id }, tag_id))
      return undefined
    },

    async attachLocationTag({ principal: { orgId }, params: { location_id }, body }) {
      const tag = await change(orgId, async (tx) => {
        if (!(await lockLocation(tx, orgId, location_id))) throw locationNotFound()
        return attach(tx, orgId, { location_id }, body)
      })
      return new Answer({ data: tag }, { location: `${API_PREFIX}/locations/${location_id}/tags/${tag.id}` })
    },

    async detachLocationTag({ principal: { orgId }, params: { location_id, tag_id } }) {
      await change(orgId, async (tx) => detach(tx, orgId, { location_id }, tag_id))
      return undefined
    },
  }) satisfies Partial<Handlers<'catalog'>>

/** Adds a tag to an owner whose row the caller has locked, and tells of it. Throws `tagExists` and `tooManyTags`. */
export async function attach(tx: Tx, orgId: number, owner: Owner, wanted: TagCreate): Promise<TagView> {
  const tag = await insertTag(tx, orgId, owner, wanted)
  if ((await countTags(tx, orgId, owner)) > MAX_TAGS) throw tooManyTags()
  await enqueue(tx, tagState, [toTagState(tag)])
  return toTagView(tag)
}

/** Removes a tag of this owner and tells of it. Throws `tagNotFound`. */
export async function detach(tx: Tx, orgId: number, owner: Owner, id: number): Promise<void> {
  const tag = await deleteTag(tx, orgId, owner, id)
  if (!tag) throw tagNotFound()
  await enqueue(tx, tagState, [toTagState(tag)])
}
