import { CatalogUnavailable, type AskCatalog, type GapFiller } from './catalog-lookup.ts'
import type { CatalogView, KnownAsset, KnownLocation } from './catalog-view.ts'

export type FindLocation = (
  orgId: number,
  wanted: { id: number } | { key: string },
) => Promise<KnownLocation | undefined>

export type FindAsset = (orgId: number, id: number) => Promise<KnownAsset | undefined>

type Deps = { view: CatalogView; ask: AskCatalog; gaps: GapFiller }

/**
 * The live location, as catalog says now: a write that catalog has answered binds us at once (D8.9), and our view may
 * be some milliseconds behind. With catalog away, the view has to do.
 */
export const locationFinder =
  ({ view, ask, gaps }: Deps): FindLocation =>
  async (orgId, wanted) => {
    const question = 'id' in wanted ? { location_ids: [wanted.id] } : { location_keys: [wanted.key] }
    await refresh(gaps, ask, { org_id: orgId, ...question })
    const found = 'id' in wanted ? view.location(orgId, wanted.id) : view.locationByKey(orgId, wanted.key)
    return found?.deleted ? undefined : found
  }

/** The live asset, likewise. */
export const assetFinder =
  ({ view, ask, gaps }: Deps): FindAsset =>
  async (orgId, id) => {
    await refresh(gaps, ask, { org_id: orgId, asset_ids: [id] })
    const found = view.asset(orgId, id)
    return found?.deleted ? undefined : found
  }

async function refresh(gaps: GapFiller, ask: AskCatalog, question: Parameters<AskCatalog>[0]): Promise<void> {
  try {
    gaps.apply(await ask(question))
  } catch (error) {
    if (!(error instanceof CatalogUnavailable)) throw error
  }
}
