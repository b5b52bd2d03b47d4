import { currentTrace } from '@whereabouts/service-kit/observe/trace'
import { audit } from '@whereabouts/db/outbox/audit'
import type { TagState } from '@whereabouts/contracts/messages/catalog-state'
import { withEpc } from '@whereabouts/contracts/resources/catalog/tags'
import type { ClaimedTagView } from '@whereabouts/contracts/resources/tracking/unknown-tags'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Tables } from '../../db.ts'
import { unknownTagNotFound } from '../../errors.ts'
import type { CatalogResolver } from '../../catalog/catalog-resolver.ts'
import { upsertTags } from '../../catalog/projections.queries.ts'
import { attach, type AskToAttach } from './tag-attacher.ts'
import { deleteUnknownTag, deleteKnownTags, listUnknownTags } from './unknown-tags.queries.ts'

export type UnknownTagDeps = {
  db: TenantDatabase<Tables>
  resolver: CatalogResolver
  askToAttach: AskToAttach
}

type UnknownTagHandlers = Pick<
  Handlers<'tracking'>,
  'listUnknownTags' | 'claimUnknownTag' | 'deleteUnknownTag'
>

export const unknownTagHandlers = ({ db, resolver, askToAttach }: UnknownTagDeps): UnknownTagHandlers => ({
  async listUnknownTags({ principal: { orgId }, query }) {
    const { limit, offset } = query
    const { data, total_count } = await listUnknownTags(db.forOrg(orgId), orgId, query)
    return { data: data.map(withEpc), total_count, limit, offset }
  },

  // Catalog owns the tag. Its reply is stored like a state from the stream, which may be behind: so the unknown tag
  // is gone once the claim is answered, and a read of a moment ago does not list it again.
  async claimUnknownTag({ principal: { orgId }, body }) {
    const { tag, ownerKey } = await attach(askToAttach, {
      org_id: orgId,
      ...body,
      caller: currentTrace()?.caller,
    })
    resolver.apply({ assets: [], locations: [], tags: [tag] })
    const own = db.forOrg(orgId)
    await upsertTags(own, [tag])
    await deleteKnownTags(own, [tag])
    return { data: toView(tag, ownerKey) }
  },

  async deleteUnknownTag({ principal: { orgId }, params: { unknown_tag_id } }) {
    await db.transaction(orgId, async (tx) => {
      if (!(await deleteUnknownTag(tx, orgId, unknown_tag_id))) throw unknownTagNotFound()
      await audit(tx, orgId, {
        action: 'unknown_tag.delete',
        subject: { type: 'unknown_tag', id: unknown_tag_id },
      })
    })
    return undefined
  },
})

const toView = (tag: TagState, ownerKey: string): ClaimedTagView => ({
  ...withEpc({ id: tag.id, tag_type: tag.tag_type, value: tag.value }),
  asset_id: tag.asset_id,
  asset_external_key: tag.asset_id === null ? null : ownerKey,
  location_id: tag.location_id,
  location_external_key: tag.location_id === null ? null : ownerKey,
})
