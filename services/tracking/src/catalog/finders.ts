import { batchCallsByKey } from '@whereabouts/db/tenant/batch-calls'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Tables } from '../db.ts'
import { CatalogUnavailable, type AskCatalog, type CatalogResolver } from './catalog-resolver.ts'
import type { CatalogView, KnownAsset, KnownLocation } from './catalog-view.ts'
import { findAssetId } from './projections.queries.ts'

export type FindLocation = (
  orgId: number,
  wanted: { id: number } | { key: string },
) => Promise<KnownLocation | undefined>

export type FindAsset = (orgId: number, id: number) => Promise<KnownAsset | undefined>

export type FindAssetId = (orgId: number, key: string) => Promise<number | undefined>

type Deps = { view: CatalogView; ask: AskCatalog; resolver: CatalogResolver }

/**
 * The live location, as catalog knows it now: a write that catalog has answered counts at once (D8.9), and our view
 * may be some milliseconds behind. If catalog cannot be reached, from the view.
 */
export const locationFinder =
  ({ view, ask, resolver }: Deps): FindLocation =>
  async (orgId, wanted) => {
    const question = 'id' in wanted ? { location_ids: [wanted.id] } : { location_keys: [wanted.key] }
    await refresh(resolver, ask, { org_id: orgId, ...question })
    const found = 'id' in wanted ? view.location(orgId, wanted.id) : view.locationByKey(orgId, wanted.key)
    return found?.deleted ? undefined : found
  }

/**
 * Assets per shared question. Their states come with their metadata, at most 64 KiB each, and an answer must fit into a
 * message of the broker, 1 MiB.
 */
const SHARED_ASSETS = 12
/** Shared questions of one organization at the same time. */
const SHARED_QUESTIONS = 4

/**
 * The live asset, in the same way. Finds that arrive while questions of their organization are out share the next one.
 * Each question is sent after its finds have begun, so that sharing makes no answer older.
 */
export function assetFinder({ view, ask, resolver }: Deps): FindAsset {
  const refreshShared = batchCallsByKey<number, number, void>(
    async (orgId, ids) => {
      await refresh(resolver, ask, { org_id: orgId, asset_ids: [...new Set(ids)] })
      return ids.map(() => undefined)
    },
    { atMost: SHARED_ASSETS, atOnce: SHARED_QUESTIONS },
  )
  return async (orgId, id) => {
    await refreshShared(orgId, id)
    const found = view.asset(orgId, id)
    return found?.deleted ? undefined : found
  }
}

/** The id of the live asset with this key, in the same way. If catalog cannot be reached, from the projection. */
export const assetKeyFinder =
  ({
    db,
    ask,
    resolver,
  }: Pick<Deps, 'ask' | 'resolver'> & { db: Pick<TenantDatabase<Tables>, 'forOrg'> }): FindAssetId =>
  async (orgId, key) => {
    try {
      const { assets_by_key: assets = [] } = await ask({ org_id: orgId, asset_keys: [key] })
      resolver.apply({ assets, locations: [], tags: [] })
      return assets[0]?.id
    } catch (error) {
      if (!(error instanceof CatalogUnavailable)) throw error
      return findAssetId(db.forOrg(orgId), orgId, key)
    }
  }

async function refresh(
  resolver: CatalogResolver,
  ask: AskCatalog,
  question: Parameters<AskCatalog>[0],
): Promise<void> {
  try {
    resolver.apply(await ask(question))
  } catch (error) {
    if (!(error instanceof CatalogUnavailable)) throw error
  }
}
