import { epochMs } from '@whereabouts/contracts/rules/instant'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import { instantOf, localDayAt, timeOfDay } from '../decide/local-time.ts'
import type { Rule } from '../decide/rule.ts'
import { Schedule } from '../decide/schedule.ts'
import type { MetadataMatches } from './metadata-matches.ts'
import type { RuleRow } from './rule-row.ts'

export type CompiledRule = Rule & {
  /** Of its scope and everything in it now. */
  places: () => ReadonlySet<number>
  /** `covers`, also of assets that are deleted. */
  coversDeleted: (assetId: number) => boolean
  hasHome: (assetId: number) => boolean
}

/** The functions of a rule, from its settings and what catalog says now. `zone`: of its organization. */
export function compileRule(
  row: RuleRow,
  { view, metadata }: { view: CatalogView; metadata: MetadataMatches },
  zone: string,
): CompiledRule {
  const { org_id: orgId, scope, params } = row
  const schedule = row.schedule && new Schedule(row.schedule, zone)
  const places = placesOf(row, view)
  const assetIds = new Set(scope.asset_ids)
  const { asset_types: types } = scope
  const asksMetadata = Object.keys(scope.metadata).length > 0
  const coversDeleted = (assetId: number) =>
    (!asksMetadata || metadata.find(orgId, scope.metadata)?.has(assetId) === true) &&
    (assetIds.size === 0 || assetIds.has(assetId)) &&
    (types.length === 0 || view.types.isOneOf(orgId, assetId, types))
  return {
    orgId,
    id: row.id,
    revision: row.revision,
    kind: row.kind,
    params,
    forMs: row.for_seconds * 1_000,
    fromMs: epochMs(row.active_from),
    raisesExisting: row.raises_existing,
    openFrom: (ms) => (schedule ? schedule.openFrom(ms) : ms),
    nextLook: (afterMs) => nextTime(params.time ?? '00:00', zone, afterMs),
    isInside: (locationId) =>
      scope.location_ids.length === 0 || (locationId !== null && places().has(locationId)),
    covers: (assetId) => coversDeleted(assetId) && view.asset(orgId, assetId)?.deleted !== true,
    coversDeleted,
    places,
    hasHome: (assetId) => view.homeOf(orgId, assetId) !== null,
    isAtHome: (assetId, locationId) => {
      const homeId = view.homeOf(orgId, assetId)
      const isLive = (id: number) => view.location(orgId, id)?.deleted === false
      if (homeId === null || locationId === null || !isLive(homeId) || !isLive(locationId)) return null
      return view.withAncestors(orgId, [locationId]).includes(homeId)
    },
  }
}

/** The places, made again when the tree has changed. */
function placesOf({ org_id: orgId, scope }: RuleRow, view: CatalogView): () => ReadonlySet<number> {
  let tree: number | undefined
  let places: ReadonlySet<number> = new Set()
  return () => {
    if (tree === view.treeOf(orgId)) return places
    tree = view.treeOf(orgId)
    const live = scope.location_ids.filter((id) => view.location(orgId, id)?.deleted !== true)
    places = new Set(scope.include_descendants ? view.withDescendants(orgId, live) : live)
    return places
  }
}

/** The first instant after this one at which a clock in `zone` shows this time. */
function nextTime(time: string, zone: string, afterMs: number): number {
  const today = localDayAt(afterMs, zone)
  for (let day = today; ; day += 1) {
    const atMs = instantOf(day, timeOfDay(time), zone)
    if (atMs > afterMs) return atMs
  }
}
