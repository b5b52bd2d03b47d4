import { assetFields, AssetPatch, type AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { namesWith, pick } from '@whereabouts/contracts/rules/fields'
import type { Principal } from '@whereabouts/contracts/principal'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import { missingScope, rejectIfAny } from '@whereabouts/service-kit/errors/errors'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { checkIfMatch, entityTag } from '@whereabouts/service-kit/http/headers/conditions'
import { ListText, prefersCsv } from '@whereabouts/service-kit/http/send-reply'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { FairGate } from '@whereabouts/service-kit/limits/fair-gate'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { enqueueChanges } from '../changes/messages/enqueue-changes.ts'
import type { AssetWithHome, Tables, Tx } from '../db.ts'
import { assetNotFound } from '../errors.ts'
import { lockKeys, assignKey, lockNameFor } from '../tags/external-keys/external-keys.queries.ts'
import { pageOf } from '../lists/conditions.ts'
import { created, deleted, updated } from '../changes/messages/changes.ts'
import { storableMetadata } from '../changes/patch/metadata.rules.ts'
import { inSchemaOrder, movedBounds, storedRowProblems } from '../changes/patch/patch.rules.ts'
import type { Tagged } from '../tags/live-tags.ts'
import { deleteTagsOf, insertTags, listTags } from '../tags/tags.queries.ts'
import { runOnce, type HandlerDeps } from '../changes/transactions/transactions.ts'
import { listAssets, listAssetTexts } from './assets.lists.ts'
import {
  assetFinder,
  deleteAsset,
  findAsset,
  insertAsset,
  lockAsset,
  updateAsset,
  type AssetChanges,
} from './assets.queries.ts'
import { toAssetView } from './assets.views.ts'
import { expandHome } from './homes/expand-home.ts'
import { homeAfter, NO_HOME } from './homes/home.rules.ts'
import { listHomes } from './homes/homes.queries.ts'
import { findMisplaced } from './tracking/current-locations.ts'
import type { Tracking } from './tracking/tracking.ts'
import { textMaker } from './texts/texts.ts'

/** Each may hold some ten megabytes of ids, so an organization gets one at a time. */
export const LISTS_OF_TRACKING = { running: Infinity, runningPerKey: 1, waitingPerKey: 50, maxWaitMs: 10_000 }

const writable = namesWith(assetFields, 'writable')

export const assetHandlers = ({ runInTransaction }: Pick<HandlerDeps, 'runInTransaction'>) =>
  ({
    async createAsset(context) {
      const {
        principal: { orgId },
        body,
      } = context
      const { tags: wanted, external_key } = body
      const create = async (tx: Tx) => {
        const home = homeAfter(NO_HOME, body, await listHomes(tx, orgId, [body], true))
        rejectIfAny(Array.isArray(home) ? home : [])
        const key = await assignKey(tx, orgId, 'asset', external_key)
        const { home_location_id } = Array.isArray(home) ? NO_HOME : home
        const row = { ...pick(body, writable), external_key: key, home_location_id }
        const asset = await insertAsset(tx, orgId, row)
        const tags = await insertTags(tx, orgId, { asset_id: asset.id }, wanted ?? [])
        const view = toAssetView(asset, tags)
        await enqueueChanges(tx, created('asset', asset, view, tags))
        return new Reply({ data: view }, { location: `${API_PREFIX}/assets/${view.id}` })
      }
      return runOnce(runInTransaction, context, create, lockNameFor('asset', external_key))
    },

    async updateAsset({ principal: { orgId }, params: { asset_id }, body, ifMatch }) {
      const data = await runInTransaction(orgId, async (tx) => {
        const row = await lockAsset(tx, orgId, asset_id)
        if (!row) throw assetNotFound()
        const stored = toAssetView(row, await listTags(tx, orgId, 'asset_id', [asset_id]))
        checkIfMatch(ifMatch, stored)
        const home = homeAfter(stored, body, await listHomes(tx, orgId, [body], true))
        const unresolved = Array.isArray(home) ? home : []
        rejectIfAny(inSchemaOrder(AssetPatch, [...storedRowProblems(stored, body), ...unresolved]))
        const { home_location_id } = Array.isArray(home) ? stored : home
        const changes = { ...changesOf(stored, body), home_location_id }
        const asset = await updateAsset(tx, orgId, asset_id, changes)
        const view = toAssetView(asset, stored.tags)
        await enqueueChanges(tx, updated('asset', asset, view, row))
        return view
      })
      return tagged(data)
    },

    async renameAsset({ principal: { orgId }, params: { asset_id }, body: { external_key } }) {
      const rename = async (tx: Tx) => {
        const stored = await lockAsset(tx, orgId, asset_id)
        if (!stored) throw assetNotFound()
        const find = async () => toFoundView(await findAsset(tx, orgId, asset_id))
        if (stored.external_key === external_key) return find()
        await lockKeys(tx, orgId, 'asset')
        const asset = await updateAsset(tx, orgId, asset_id, { external_key })
        const view = await find()
        await enqueueChanges(tx, updated('asset', asset, view, stored))
        return view
      }
      return { data: await runInTransaction(orgId, rename, 'asset keys'), descendant_count_affected: 0 }
    },

    async deleteAsset({ principal: { orgId }, params: { asset_id }, ifMatch }) {
      await runInTransaction(orgId, async (tx) => {
        const stored = await lockAsset(tx, orgId, asset_id)
        if (!stored) throw assetNotFound()
        if (ifMatch !== undefined) {
          const tags = await listTags(tx, orgId, 'asset_id', [asset_id])
          checkIfMatch(ifMatch, toAssetView(stored, tags))
        }
        const asset = await deleteAsset(tx, orgId, asset_id)
        const tags = await deleteTagsOf(tx, orgId, { asset_id })
        await enqueueChanges(tx, deleted('asset', asset, tags))
      })
      return undefined
    },
  }) satisfies Partial<Handlers<'catalog'>>

type ReadDeps = { db: TenantDatabase<Tables>; log: Logger; tracking: Tracking }

/** Where assets are is read with a scope of its own (D21.4). */
function requireScans({ kind, scopes }: Principal): void {
  if (kind === 'key' && !scopes.includes('scans:read') && !scopes.includes('tracking:read'))
    throw missingScope('scans:read')
}

/** Apart from the others, which also run in transactions: there, no statement is shared and no text is made. */
export function assetReadHandlers({ db, log, tracking }: ReadDeps) {
  const oneByOne = new FairGate<number>(LISTS_OF_TRACKING)
  const find = assetFinder(db)
  const make = textMaker(db, log)
  return {
    async listAssets({ principal, query: { misplaced, expand, ...query }, headers }) {
      const { orgId } = principal
      const own = db.forOrg(orgId)
      if (misplaced !== undefined || expand) {
        requireScans(principal)
        const list = async () => {
          const wanted = misplaced !== undefined && { misplaced, home_location_id: query.home_location_id }
          const among = wanted ? await findMisplaced(tracking, orgId, wanted) : undefined
          return listAssets(own, orgId, query, among)
        }
        const { rows, total } = await (misplaced === undefined ? list() : oneByOne.run(orgId, list))
        const views = rows.map((row) => toAssetView(row, row.tags))
        const data = expand ? await expandHome(own, tracking, orgId, views) : views
        return { data, ...pageOf(query), total_count: total }
      }
      if (!prefersCsv(headers)) {
        const page = await listAssetTexts(own, orgId, query)
        if (page.missing === null)
          return new ListText(page.texts, { ...pageOf(query), total_count: page.total })
        make(orgId, page.missing)
      }
      const { rows, total } = await listAssets(own, orgId, query)
      const data = rows.map((row) => toAssetView(row, row.tags))
      return { data, ...pageOf(query), total_count: total }
    },

    async getAsset({ principal: { orgId }, params: { asset_id } }) {
      return tagged(toFoundView(await find(orgId, asset_id)))
    },
  } satisfies Partial<Handlers<'catalog'>>
}

const tagged = (view: AssetView) => new Reply({ data: view }, { etag: entityTag(view) })

/** Throws `assetNotFound`. */
export function toFoundView(asset: Tagged<AssetWithHome> | undefined): AssetView {
  if (!asset) throw assetNotFound()
  return toAssetView(asset, asset.tags)
}

/** The columns that a PATCH writes. It does not write read-only fields that a client sends back. */
const changesOf = (stored: AssetView, body: AssetPatch): AssetChanges => ({
  ...pick(body, writable),
  metadata: storableMetadata(body.metadata),
  ...movedBounds(stored, body),
})
