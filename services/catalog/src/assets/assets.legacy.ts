import type { AssetCreate, AssetListQuery, AssetView } from '@whereabouts/contracts/assets'
import type {
  LegacyAssetCreate,
  LegacyAssetListQuery,
  LegacyAssetView,
} from '@whereabouts/contracts/legacy/assets'
import { LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import { Answer, type Handlers } from '@whereabouts/service-kit/serve'
import { within, type HandlerDeps } from '../change.ts'
import type { Tx } from '../db.ts'
import { assetNotFound } from '../errors.ts'
import { getIdByKey, lockIdByKey } from '../keys/keys.queries.ts'
import { toCurrentSort } from '../lists/sort.legacy.ts'
import { replaceTags, toLegacyIdentifier, toTagCreate } from '../tags/tags.legacy.ts'
import { assetHandlers } from './assets.handlers.ts'

/** The older vocabulary of assets: translation to the handlers of the current one, and back. */
export const legacyAssetHandlers = ({ db, change }: HandlerDeps) => {
  const current = assetHandlers({ db, change })
  return {
    async listLegacyAssets({ query, ...context }) {
      const page = await current.listAssets({ ...context, query: toAssetQuery(query) })
      return { ...page, data: page.data.map(toLegacyAsset) }
    },

    async createLegacyAsset({ body, ...context }) {
      const created = await current.createAsset({ ...context, body: toAssetCreate(body) })
      const data = toLegacyAsset(created.body.data)
      return new Answer({ data }, { location: `${LEGACY_PREFIX}/assets/${data.identifier}` })
    },

    async getLegacyAsset({ params: { identifier }, ...context }) {
      const { orgId } = context.principal
      const asset_id = await getIdByKey(db.forOrg(orgId), orgId, 'asset', identifier)
      const { data } = await current.getAsset({ ...context, params: { asset_id } })
      if (data.external_key !== identifier) throw assetNotFound() // renamed between the two statements
      return { data: toLegacyAsset(data) }
    },

    async updateLegacyAsset({ params: { identifier }, body, ...context }) {
      const { orgId } = context.principal
      const { identifier: key = identifier, identifiers, ...fields } = body
      const update = async (tx: Tx) => {
        const inside = assetHandlers(within(tx))
        const asset_id = await getIdByKey(tx, orgId, 'asset', identifier)
        const named = { ...context, params: { asset_id } }
        const { data: updated } = await inside.updateAsset({ ...named, body: fields })
        if (updated.external_key !== identifier) throw assetNotFound() // renamed before it was locked
        if (key !== identifier) await inside.renameAsset({ ...named, body: { external_key: key } })
        if (identifiers !== undefined) await replaceTags(tx, orgId, { asset_id }, identifiers ?? [])
        return (await inside.getAsset({ ...named, body: undefined })).data
      }
      return {
        data: toLegacyAsset(await change(orgId, update, key === identifier ? undefined : 'asset keys')),
      }
    },

    async deleteLegacyAsset({ params: { identifier }, ...context }) {
      const { orgId } = context.principal
      return change(orgId, async (tx) => {
        const asset_id = await lockIdByKey(tx, orgId, 'asset', identifier)
        return assetHandlers(within(tx)).deleteAsset({ ...context, params: { asset_id } })
      })
    },
  } satisfies Partial<Handlers<'catalog'>>
}

const toLegacyAsset = (view: AssetView): LegacyAssetView => ({
  surrogate_id: view.id,
  identifier: view.external_key,
  name: view.name,
  description: view.description,
  type: view.type,
  is_active: view.is_active,
  metadata: view.metadata,
  identifiers: view.tags.map(toLegacyIdentifier),
  valid_from: view.valid_from,
  valid_to: view.valid_to,
  created_at: view.created_at,
  updated_at: view.updated_at,
})

const toAssetCreate = ({ identifier, identifiers, ...fields }: LegacyAssetCreate): AssetCreate => ({
  ...fields,
  ...(identifier !== undefined && { external_key: identifier }),
  ...(identifiers && { tags: identifiers.map(toTagCreate) }),
})

const toAssetQuery = ({ identifier, sort, ...query }: LegacyAssetListQuery): AssetListQuery => ({
  ...query,
  ...(identifier && { external_key: identifier }),
  ...(sort && { sort: toCurrentSort(sort) }),
})
