import type { AssetCreate, AssetListQuery, AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import {
  LegacyAssetUpdate,
  type LegacyAssetCreate,
  type LegacyAssetListQuery,
  type LegacyAssetView,
} from '@whereabouts/contracts/legacy/assets'
import type { AssetPlaced } from '@whereabouts/contracts/messages/asset-placed'
import type { FieldEntry } from '@whereabouts/contracts/errors'
import { LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { rejectIfAny } from '@whereabouts/service-kit/errors/errors'
import { FairGate } from '@whereabouts/service-kit/limits/fair-gate'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tx } from '../db.ts'
import { assetNotFound, currentLocationNotFound } from '../errors.ts'
import { getIdByKey, lockIdByKey, lockNameFor } from '../tags/external-keys/external-keys.queries.ts'
import { pageOf } from '../lists/conditions.ts'
import { toCurrentSort } from '../lists/sort.legacy.ts'
import { pinLocation } from '../locations/live-keys.queries.ts'
import { inSchemaOrder } from '../changes/patch/patch.rules.ts'
import { replaceTags, toLegacyIdentifier, toTagCreate } from '../tags/tags.legacy.ts'
import {
  findAssetsAt,
  findCurrentLocations,
  unknownLocations,
  ifAvailable,
  type LocationOf,
} from './tracking/current-locations.ts'
import type { Tracking } from './tracking/tracking.ts'
import { usingTransaction, type HandlerDeps } from '../changes/transactions/transactions.ts'
import { assetHandlers, LISTS_OF_TRACKING, toFoundView } from './assets.handlers.ts'
import { listAssets } from './assets.lists.ts'
import { assetFinder, findAsset } from './assets.queries.ts'
import { toAssetView } from './assets.views.ts'
import { enqueuePlacement } from './placement.ts'

type LegacyAssetDeps = HandlerDeps & { tracking: Tracking }

/** The legacy vocabulary of assets: translates to and from the current handlers. */
export const legacyAssetHandlers = ({ db, runInTransaction, tracking }: LegacyAssetDeps) => {
  const find = assetFinder(db)
  const oneByOne = new FairGate<number>(LISTS_OF_TRACKING)

  async function toLegacyAssets(orgId: number, views: readonly AssetView[]): Promise<LegacyAssetView[]> {
    const ids = views.map((view) => view.id)
    const locationOf = await findCurrentLocations(db.forOrg(orgId), tracking, orgId, ids)
    return views.map((view) => toLegacyAsset(view, locationOf))
  }

  /** The asset after a change. Waits until tracking has recorded its new location, unless tracking is away. */
  async function toChanged(orgId: number, { view, placed }: Changed): Promise<LegacyAssetView> {
    const isAway = placed && (await ifAvailable(tracking.place(placed).then(() => true))) === undefined
    if (isAway) return toLegacyAsset(view, unknownLocations)
    const [only] = await toLegacyAssets(orgId, [view])
    return only as LegacyAssetView
  }

  return {
    async listLegacyAssets({ principal: { orgId }, query: { location, ...query } }) {
      const at = db.forOrg(orgId)
      const list = async () => {
        const among = location && (await findAssetsAt(at, tracking, orgId, location))
        return listAssets(at, orgId, toAssetQuery(query), among)
      }
      const { rows, total } = await (location ? oneByOne.run(orgId, list) : list())
      const views = rows.map((row) => toAssetView(row, row.tags))
      return { data: await toLegacyAssets(orgId, views), ...pageOf(query), total_count: total }
    },

    async createLegacyAsset({ body: { current_location, ...fields }, ...context }) {
      const { orgId } = context.principal
      const create = async (tx: Tx): Promise<Changed> => {
        const { location, problems } = await pinCurrentLocation(tx, orgId, current_location)
        rejectIfAny(problems)
        const inside = assetHandlers(usingTransaction(tx))
        const { data: view } = (await inside.createAsset({ ...context, body: toAssetCreate(fields) })).body
        return { view, ...(location && { placed: await enqueuePlacement(tx, orgId, view.id, location) }) }
      }
      const changed = await runInTransaction(orgId, create, lockNameFor('asset', fields.identifier))
      const data = await toChanged(orgId, changed)
      return new Reply({ data }, { location: `${LEGACY_PREFIX}/assets/${data.identifier}` })
    },

    async getLegacyAsset({ params: { identifier }, ...context }) {
      const { orgId } = context.principal
      const asset_id = await getIdByKey(db.forOrg(orgId), orgId, 'asset', identifier)
      const data = toFoundView(await find(orgId, asset_id))
      if (data.external_key !== identifier) throw assetNotFound() // renamed between the two statements
      return { data: await toChanged(orgId, { view: data }) }
    },

    async updateLegacyAsset({ params: { identifier }, body, ...context }) {
      const { orgId } = context.principal
      const { identifier: key = identifier, identifiers, current_location, ...fields } = body
      const update = async (tx: Tx): Promise<Changed> => {
        const inside = assetHandlers(usingTransaction(tx))
        const asset_id = await lockIdByKey(tx, orgId, 'asset', identifier)
        const named = { ...context, params: { asset_id } }
        const { location, problems } = await pinCurrentLocation(tx, orgId, current_location)
        const { body: changed } = await rejectTogether(problems, () =>
          inside.updateAsset({ ...named, body: fields }),
        )
        let updated: { data: AssetView } = changed
        if (key !== identifier) updated = await inside.renameAsset({ ...named, body: { external_key: key } })
        if (identifiers !== undefined)
          await replaceTags(tx, orgId, { kind: 'asset', ...updated.data }, identifiers ?? [])
        const view = toFoundView(await findAsset(tx, orgId, asset_id))
        return { view, ...(location && { placed: await enqueuePlacement(tx, orgId, asset_id, location) }) }
      }
      const changed = await runInTransaction(orgId, update, key === identifier ? undefined : 'asset keys')
      return { data: await toChanged(orgId, changed) }
    },

    async deleteLegacyAsset({ params: { identifier }, ...context }) {
      const { orgId } = context.principal
      return runInTransaction(orgId, async (tx) => {
        const asset_id = await lockIdByKey(tx, orgId, 'asset', identifier)
        return assetHandlers(usingTransaction(tx)).deleteAsset({ ...context, params: { asset_id } })
      })
    },
  } satisfies Partial<Handlers<'catalog'>>
}

/** The asset after a transaction, and the placement to send to tracking. */
type Changed = { view: AssetView; placed?: AssetPlaced }

async function pinCurrentLocation(tx: Tx, orgId: number, key: string | undefined) {
  const location = key === undefined ? undefined : await pinLocation(tx, orgId, key)
  return { location, problems: key === undefined || location ? [] : [currentLocationNotFound] }
}

/** Runs `work`. Throws the problems that it finds in the body together with `problems`. */
async function rejectTogether<T>(problems: readonly FieldEntry[], work: () => Promise<T>): Promise<T> {
  const result = await work().catch((error: unknown) => {
    const found = error instanceof AppError ? error.fields : undefined
    if (found) rejectIfAny(inSchemaOrder(LegacyAssetUpdate, [...problems, ...found]))
    throw error
  })
  rejectIfAny(problems)
  return result
}

const toLegacyAsset = (view: AssetView, locationOf: LocationOf): LegacyAssetView => ({
  surrogate_id: view.id,
  identifier: view.external_key,
  name: view.name,
  description: view.description ?? undefined,
  type: view.type,
  current_location: locationOf(view.id) ?? undefined,
  is_active: view.is_active,
  metadata: view.metadata,
  identifiers: view.tags.map(toLegacyIdentifier),
  valid_from: view.valid_from,
  valid_to: view.valid_to ?? undefined,
  created_at: view.created_at,
  updated_at: view.updated_at,
})

const toAssetCreate = ({
  identifier,
  identifiers,
  ...fields
}: Omit<LegacyAssetCreate, 'current_location'>): AssetCreate => ({
  ...fields,
  ...(identifier !== undefined && { external_key: identifier }),
  ...(identifiers && { tags: identifiers.map(toTagCreate) }),
})

const toAssetQuery = ({
  identifier,
  sort,
  ...query
}: Omit<LegacyAssetListQuery, 'location'>): AssetListQuery => ({
  ...query,
  ...(identifier && { external_key: identifier }),
  ...(sort && { sort: toCurrentSort(sort) }),
})
