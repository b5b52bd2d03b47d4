import {
  catalogLookup,
  type CatalogLookup,
  type CatalogLookupReply,
} from '@whereabouts/contracts/messages/catalog-lookup'
import type { AssetIdentity } from '@whereabouts/contracts/messages/catalog-state'
import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { request } from '@whereabouts/messaging/messages/request'
import { LRUCache } from 'lru-cache'
import type { CatalogView } from './catalog-view.ts'

/** Catalog could not be asked, so a name may exist. Retry later. */
export class CatalogUnavailable extends Error {
  override readonly name = 'CatalogUnavailable'
}

type Tag = { tag_type: string; value: string }

/** Asks catalog one question over the broker. Throws CatalogUnavailable. */
export type AskCatalog = (question: CatalogLookup, signal?: AbortSignal) => Promise<CatalogLookupReply>

const TIMEOUT_MS = 2_000
const MAX_NAMES = 1_000

export const askCatalogOver =
  (broker: Broker): AskCatalog =>
  async (question, signal) => {
    const options = signal ? { timeoutMs: TIMEOUT_MS, signal } : { timeoutMs: TIMEOUT_MS }
    try {
      return catalogLookup.reply.parse(await request(broker, catalogLookup.subject, question, options))
    } catch (error) {
      throw new CatalogUnavailable('catalog could not be asked', { cause: error })
    }
  }

/**
 * For this long, it does not ask again for a name that catalog does not know: most BLE adverts come from unknown
 * tags.
 */
const UNKNOWN_MS = 1_000
const MAX_UNKNOWN = 100_000

/** Names of one organization that the view does not know. */
export type Unresolved = {
  tags?: Iterable<Tag>
  locationKeys?: Iterable<string>
  locationIds?: Iterable<number>
  assetIds?: Iterable<number>
}

type Lists = { tags: Tag[]; location_keys: string[]; location_ids: number[]; asset_ids: number[] }

/**
 * Asks catalog for names that the view does not know, and puts the reply into the view. So a read finds an asset that
 * was created a moment ago, before its state arrives.
 */
export class CatalogResolver {
  readonly #view: CatalogView
  readonly #ask: AskCatalog
  /** Names that catalog did not know a moment ago. */
  readonly #unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_MS })

  constructor(view: CatalogView, ask: AskCatalog) {
    this.#view = view
    this.#ask = ask
  }

  /** Asks for these names and puts the found ones, and what they are in, into the view. Throws CatalogUnavailable. */
  async resolve(orgId: number, unresolved: Unresolved, signal?: AbortSignal): Promise<void> {
    const lists = this.#withoutUnknown(orgId, unresolved)
    const longest = Math.max(...Object.values(lists).map((list) => list.length))
    for (let at = 0; at < longest; at += MAX_NAMES) {
      const some = {
        tags: lists.tags.slice(at, at + MAX_NAMES),
        location_keys: lists.location_keys.slice(at, at + MAX_NAMES),
        location_ids: lists.location_ids.slice(at, at + MAX_NAMES),
        asset_ids: lists.asset_ids.slice(at, at + MAX_NAMES),
      }
      const reply = await this.#ask({ org_id: orgId, ...some }, signal)
      this.apply(reply)
      this.#rememberUnknown(orgId, some)
      const places = reply.locations.map(({ id }) => id)
      const above = this.#view.withAncestors(orgId, places).filter((id) => !this.#view.location(orgId, id))
      if (above.length > 0) await this.resolve(orgId, { locationIds: above }, signal)
    }
  }

  apply(reply: Pick<CatalogLookupReply, 'locations' | 'tags'> & { assets: readonly AssetIdentity[] }): void {
    for (const asset of reply.assets) this.#view.applyAsset(asset)
    for (const location of reply.locations) this.#view.applyLocation(location)
    for (const tag of reply.tags) this.#view.applyTag(tag)
  }

  #withoutUnknown(orgId: number, unresolved: Unresolved): Lists {
    const isAsked = (name: string) => !this.#unknown.has(name)
    const { tags = [], locationKeys = [], locationIds = [], assetIds = [] } = unresolved
    return {
      tags: [...tags].filter((tag) => isAsked(tagName(orgId, tag))),
      location_keys: [...locationKeys].filter((key) => isAsked(keyName(orgId, key))),
      location_ids: [...locationIds].filter((id) => isAsked(idName(orgId, id))),
      asset_ids: [...assetIds].filter((id) => isAsked(idName(orgId, id))),
    }
  }

  #rememberUnknown(orgId: number, { tags, location_keys, location_ids, asset_ids }: Lists): void {
    const remember = (isKnown: boolean, name: string) => !isKnown && this.#unknown.set(name, true)
    const view = this.#view
    for (const tag of tags)
      remember(view.matchTag(orgId, tag.tag_type, tag.value) !== undefined, tagName(orgId, tag))
    for (const key of location_keys)
      remember(view.locationByKey(orgId, key) !== undefined, keyName(orgId, key))
    for (const id of location_ids) remember(view.location(orgId, id) !== undefined, idName(orgId, id))
    for (const id of asset_ids) remember(view.asset(orgId, id) !== undefined, idName(orgId, id))
  }
}

const tagName = (orgId: number, tag: Tag) => `${orgId} ${tag.tag_type} ${matchValue(tag.tag_type, tag.value)}`
const keyName = (orgId: number, key: string) => `${orgId} @ ${key}`
const idName = (orgId: number, id: number) => `${orgId} # ${id}`
