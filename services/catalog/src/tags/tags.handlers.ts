import { API_PREFIX } from '@whereabouts/contracts/routes'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { assetNotFound, locationNotFound } from '../errors.ts'
import { runOnce, type RunInTransaction } from '../changes/transactions/transactions.ts'
import { lockOwner } from './tags.queries.ts'
import { attach, detach } from './tags.ts'

/** Attaching and detaching do not change the owner's `updated_at` (D6.4). */
export const tagHandlers = ({ runInTransaction }: { runInTransaction: RunInTransaction }) =>
  ({
    async addAssetTag(context) {
      const {
        principal: { orgId },
        params: { asset_id },
        body,
      } = context
      return runOnce(runInTransaction, context, async (tx) => {
        const owner = await lockOwner(tx, orgId, { asset_id })
        if (!owner) throw assetNotFound()
        const tag = await attach(tx, orgId, owner, body)
        return new Reply({ data: tag }, { location: `${API_PREFIX}/assets/${asset_id}/tags/${tag.id}` })
      })
    },

    async removeAssetTag({ principal: { orgId }, params: { asset_id, tag_id } }) {
      await runInTransaction(orgId, async (tx) => detach(tx, orgId, { asset_id }, tag_id))
      return undefined
    },

    async addLocationTag(context) {
      const {
        principal: { orgId },
        params: { location_id },
        body,
      } = context
      return runOnce(runInTransaction, context, async (tx) => {
        const owner = await lockOwner(tx, orgId, { location_id })
        if (!owner) throw locationNotFound()
        const tag = await attach(tx, orgId, owner, body)
        return new Reply({ data: tag }, { location: `${API_PREFIX}/locations/${location_id}/tags/${tag.id}` })
      })
    },

    async removeLocationTag({ principal: { orgId }, params: { location_id, tag_id } }) {
      await runInTransaction(orgId, async (tx) => detach(tx, orgId, { location_id }, tag_id))
      return undefined
    },
  }) satisfies Partial<Handlers<'catalog'>>
