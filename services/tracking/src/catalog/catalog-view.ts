import type {
  AssetIdentity,
  LocationPlace,
  TagState,
  TypedAsset,
} from '@whereabouts/contracts/messages/catalog-state'
import { epochMs } from '@whereabouts/contracts/rules/instant'
import { LRUCache } from 'lru-cache'
import { AssetHomes } from './asset-homes.ts'
import { AssetTypes } from './asset-types.ts'
import { TagIndex } from './tag-index.ts'
import type { KnownTag } from './tag-owners.ts'

export type KnownAsset = {
  orgId: number
  id: number
  revision: number
  key: string
  name: string
  deleted: boolean
}
/** Ids of branches that are kept: 8 MiB. */
const MOST_BRANCH_IDS = 1_000_000

/** Valid from the first and until the second, in milliseconds. */
export type KnownLocation = KnownAsset & { parentId: number | null; validFromMs: number; validToMs: number }

/**
 * The asset that a tag is attached to; null for a known tag without a live asset, or for one that belonged to nobody
 * then; undefined for an unknown tag.
 */
export type TagMatch = KnownAsset | null | undefined

/**
 * Catalog's assets, locations and tags in the memory of this process. States may arrive twice and in any order; the
 * newest `revision` wins. The view may be incomplete or old: a missing name costs a request to catalog, and an event
 * may carry an old name.
 */
export class CatalogView {
  readonly #assets = new Map<number, KnownAsset>()
  /** Of all assets, deleted or not. */
  readonly types = new AssetTypes()
  readonly #homes = new AssetHomes()
  readonly #locations = new Map<number, KnownLocation>()
  readonly #locationsByKey = new Map<string, KnownLocation>()
  /** By location, its live direct sub-locations. The location itself may still be unknown. */
  readonly #children = new Map<number, Set<number>>()
  /** Of each organization, how often its tree has changed. Only the branches of its newest tree are found. */
  readonly #trees = new Map<number, number>()
  readonly #branches = new LRUCache<string, readonly number[]>({
    maxSize: MOST_BRANCH_IDS,
    sizeCalculation: (ids, name) => ids.length + name.length,
  })
  readonly #tags: TagIndex

  /** `now` only decides what is too old to be remembered. */
  constructor(now: () => number = Date.now) {
    this.#tags = new TagIndex(now)
  }

  /** The asset, deleted or not; undefined if it is unknown or belongs to another organization. */
  asset(orgId: number, id: number): KnownAsset | undefined {
    const asset = this.#assets.get(id)
    return asset?.orgId === orgId ? asset : undefined
  }

  location(orgId: number, id: number): KnownLocation | undefined {
    const location = this.#locations.get(id)
    return location?.orgId === orgId ? location : undefined
  }

  /** The home of an asset, deleted or not; null if it has none. */
  homeOf(orgId: number, assetId: number): number | null {
    return this.#homes.homeOf(orgId, assetId)
  }

  /** Each home of an asset of the organization. */
  homesOf(orgId: number): number[] {
    return this.#homes.homesOf(orgId)
  }

  /** The live location with this key. */
  locationByKey(orgId: number, key: string): KnownLocation | undefined {
    return this.#locationsByKey.get(`${orgId} ${key}`)
  }

  /** The live direct sub-locations. */
  childrenOf(orgId: number, id: number): number[] {
    return [...(this.#children.get(id) ?? [])].filter((child) => this.location(orgId, child))
  }

  /** Grows with each change of the organization's locations, also of one that was deleted. */
  treeOf(orgId: number): number {
    return this.#trees.get(orgId) ?? 0
  }

  /** These locations, known or not, and all their live sub-locations. */
  withDescendants(orgId: number, ids: readonly number[]): readonly number[] {
    const name = `${orgId} ${this.#trees.get(orgId) ?? 0} ${ids.join()}`
    const known = this.#branches.get(name)
    if (known) return known
    const found = new Set(ids)
    for (const id of found)
      // The set grows during the loop. It visits each id once, so that a circle ends.
      for (const child of this.childrenOf(orgId, id)) found.add(child)
    const branch = [...found]
    this.#branches.set(name, branch)
    return branch
  }

  /** These locations and all that they are in. Deleted ones are left out, with what is above them; unknown ones are not. */
  withAncestors(orgId: number, ids: readonly number[]): number[] {
    const found = new Set(ids)
    for (const id of found) {
      const location = this.location(orgId, id)
      if (location?.deleted) found.delete(id)
      else if (location && location.parentId !== null) found.add(location.parentId)
    }
    return [...found]
  }

  /** The asset that has the tag now; see TagIndex for which of several tags wins. */
  matchTag(orgId: number, type: string, value: string): TagMatch {
    return this.assetOfTag(this.#tags.find(orgId, type, value))
  }

  /** The tag that had a value at an instant; null if none had it then, undefined if none is known. */
  findTag(orgId: number, type: string, value: string, asOfMs: number): KnownTag | null | undefined {
    return this.#tags.findAt(orgId, type, value, asOfMs)
  }

  assetOfTag(tag: KnownTag | null | undefined): TagMatch {
    if (!tag || tag.assetId === null) return tag && null
    // In a replay of the compacted stream, the tag's state may arrive before its asset's.
    const asset = this.asset(tag.orgId, tag.assetId)
    return asset?.deleted ? null : asset
  }

  applyAsset(state: AssetIdentity | TypedAsset): void {
    const known = this.#assets.get(state.id)
    if (known && known.revision > state.revision) return
    // Replies of catalog have no type and no home. The state of the same revision follows in the stream.
    if ('type' in state) {
      this.types.set(state.org_id, state.id, state.type)
      this.#homes.set(state.org_id, state.id, state.home_location_id ?? null)
    }
    if (isOld(known, state)) return
    this.#assets.set(state.id, entity(state))
  }

  applyLocation(state: LocationPlace): void {
    const before = this.#locations.get(state.id)
    if (isOld(before, state)) return
    if (before && this.locationByKey(before.orgId, before.key)?.id === before.id)
      this.#locationsByKey.delete(`${before.orgId} ${before.key}`)
    const location = {
      ...entity(state),
      parentId: state.parent_id,
      validFromMs: state.valid_from === undefined ? -Infinity : epochMs(state.valid_from),
      validToMs: typeof state.valid_to === 'string' ? epochMs(state.valid_to) : Infinity,
    }
    this.#locations.set(state.id, location)
    this.#trees.set(location.orgId, (this.#trees.get(location.orgId) ?? 0) + 1)
    if (!location.deleted) this.#locationsByKey.set(`${location.orgId} ${location.key}`, location)
    this.#moveChild(before, location)
  }

  #moveChild(before: KnownLocation | undefined, after: KnownLocation): void {
    const former = before?.parentId ?? null
    if (former !== null) {
      this.#children.get(former)?.delete(after.id)
      if (this.#children.get(former)?.size === 0) this.#children.delete(former)
    }
    if (after.parentId === null || after.deleted) return
    const siblings = this.#children.get(after.parentId) ?? new Set()
    this.#children.set(after.parentId, siblings.add(after.id))
  }

  applyTag(state: TagState): void {
    this.#tags.apply(state)
  }

  /** Call if the stream was re-created. */
  clear(): void {
    for (const map of [
      this.#assets,
      this.types,
      this.#homes,
      this.#locations,
      this.#locationsByKey,
      this.#children,
      this.#branches,
      this.#tags,
    ])
      map.clear()
  }

  sizes() {
    return { assets: this.#assets.size, locations: this.#locations.size, tags: this.#tags.size }
  }
}

const isOld = (known: { revision: number } | undefined, state: { revision: number }) =>
  known !== undefined && known.revision >= state.revision

function entity(state: AssetIdentity | LocationPlace): KnownAsset {
  return {
    orgId: state.org_id,
    id: state.id,
    revision: state.revision,
    key: state.external_key,
    name: state.name,
    deleted: state.deleted_at !== null,
  }
}
