import { assetState, tagState } from '@whereabouts/contracts/messages/catalog-state'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import { enqueue } from '@whereabouts/db/outbox'
import { Answer, type Handlers } from '@whereabouts/service-kit/serve'
import type { HandlerDeps } from '../change.ts'
import { assetNotFound } from '../errors.ts'
import { settleKey } from '../keys/keys.queries.ts'
import { pageOf } from '../lists/conditions.ts'
import { deleteTagsOf, insertTags, listTags } from '../tags/tags.queries.ts'
import { toTagState } from '../tags/tags.views.ts'
import { deleteAsset, findAsset, insertAsset, listAssets, lockAsset } from './assets.queries.ts'
import { toAssetState, toAssetView } from './assets.views.ts'

export const assetHandlers = ({ db, change }: HandlerDeps) =>
  ({
    async listAssets({ principal: { orgId }, query }) {
      const { rows, total } = await listAssets(db.forOrg(orgId), orgId, query)
      const tags = await listTags(db.forOrg(orgId), orgId, 'asset_id', rows.map((row) => row.id)) // prettier-ignore
      const tagsOf = Map.groupBy(tags, (tag) => tag.asset_id)
      const data = rows.map((row) => toAssetView(row, tagsOf.get(row.id) ?? []))
      return { data, ...pageOf(query), total_count: total }
    },

    async createAsset(context) {
      const { orgId } = context.principal
      const {
        tags: wanted,
        external_key,
        location_id: _,
        location_external_key: __,
        ...fields
      } = context.body
      const view = await change(orgId, async (tx) => {
        const key = await settleKey(tx, orgId, 'asset', external_key)
        const asset = await insertAsset(tx, orgId, { ...fields, external_key: key })
        const tags = await insertTags(tx, orgId, { asset_id: asset.id }, wanted ?? [])
        await enqueue(tx, assetState, [toAssetState(asset)])
        await enqueue(tx, tagState, tags.map(toTagState))
        return toAssetView(asset, tags)
      })
      return new Answer({ data: view }, { location: `${API_PREFIX}/assets/${view.id}` })
    },

    async getAsset({ principal: { orgId }, params: { asset_id } }) {
      const asset = await findAsset(db.forOrg(orgId), orgId, asset_id)
      if (!asset) throw assetNotFound()
      return { data: toAssetView(asset, await listTags(db.forOrg(orgId), orgId, 'asset_id', [asset.id])) }
    },

    async deleteAsset({ principal: { orgId }, params: { asset_id } }) {
      await change(orgId, async (tx) => {
        if (!(await lockAsset(tx, orgId, asset_id))) throw assetNotFound()
        const asset = await deleteAsset(tx, orgId, asset_id)
        const tags = await deleteTagsOf(tx, orgId, { asset_id })
        await enqueue(tx, assetState, [toAssetState(asset)])
        await enqueue(tx, tagState, tags.map(toTagState))
      })
      return undefined
    },
  }) satisfies Partial<Handlers<'catalog'>>
