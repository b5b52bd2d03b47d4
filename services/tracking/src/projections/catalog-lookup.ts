import {
  catalogLookup,
  type CatalogLookup,
  type CatalogLookupReply,
} from '@whereabouts/contracts/messages/catalog-lookup'
import type { AssetIdentity } from '@whereabouts/contracts/messages/catalog-state'
import { matchValue } from '@whereabouts/contracts/tag-matching'
import type { Broker } from '@whereabouts/messaging/connection'
import { request } from '@whereabouts/messaging/request'
import type { CatalogView } from './catalog-view.ts'

/** Catalog could not be asked, so nobody knows whether the thing exists. Trying again later is right. */
export class CatalogUnavailable extends Error {
  override readonly name = 'CatalogUnavailable'
}

type Tag = { tag_type: string; value: string }

/** Asks catalog one question over the broker. Throws CatalogUnavailable. */
export type AskCatalog = (question: CatalogLookup, signal?: AbortSignal) => Promise<CatalogLookupReply>

const TIMEOUT_MS = 2_000
const AT_ONCE = 1_000

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

/** What catalog did not know a moment ago is not asked again for this long: most BLE adverts are of strangers. */
const STRANGER_MS = 1_000
const MAX_STRANGERS = 100_000

/** Things of one organization that the view does not know. */
export type Wanted = {
  tags?: Iterable<Tag>
  locationKeys?: Iterable<string>
  locationIds?: Iterable<number>
  assetIds?: Iterable<number>
}

type Lists = { tags: Tag[]; location_keys: string[]; location_ids: number[]; asset_ids: number[] }

/**
 * Settles gaps of the view: asks catalog for what a read named and the view does not know, and applies the answer to
 * the view. Something created a moment ago is found this way before its state has arrived.
 */
export class GapFiller {
  readonly #view: CatalogView
  readonly #ask: AskCatalog
  readonly #now: () => number
  readonly #strangers = new Map<string, number>()

  constructor(view: CatalogView, ask: AskCatalog, now: () => number = Date.now) {
    this.#view = view
    this.#ask = ask
    this.#now = now
  }

  /** Fills in what is wanted as far as it exists. Throws CatalogUnavailable. */
  async fill(orgId: number, wanted: Wanted, signal?: AbortSignal): Promise<void> {
    const lists = this.#withoutStrangers(orgId, wanted)
    const longest = Math.max(...Object.values(lists).map((list) => list.length))
    for (let at = 0; at < longest; at += AT_ONCE) {
      const some = {
        tags: lists.tags.slice(at, at + AT_ONCE),
        location_keys: lists.location_keys.slice(at, at + AT_ONCE),
        location_ids: lists.location_ids.slice(at, at + AT_ONCE),
        asset_ids: lists.asset_ids.slice(at, at + AT_ONCE),
      }
      this.apply(await this.#ask({ org_id: orgId, ...some }, signal))
      this.#rememberStrangers(orgId, some)
    }
  }

  apply(reply: Pick<CatalogLookupReply, 'locations' | 'tags'> & { assets: readonly AssetIdentity[] }): void {
    for (const asset of reply.assets) this.#view.applyAsset(asset)
    for (const location of reply.locations) this.#view.applyLocation(location)
    for (const tag of reply.tags) this.#view.applyTag(tag)
  }

  #withoutStrangers(orgId: number, wanted: Wanted): Lists {
    const now = this.#now()
    const isAsked = (name: string) => (this.#strangers.get(name) ?? 0) <= now
    const { tags = [], locationKeys = [], locationIds = [], assetIds = [] } = wanted
    return {
      tags: [...tags].filter((tag) => isAsked(tagName(orgId, tag))),
      location_keys: [...locationKeys].filter((key) => isAsked(keyName(orgId, key))),
      location_ids: [...locationIds].filter((id) => isAsked(idName(orgId, id))),
      asset_ids: [...assetIds].filter((id) => isAsked(idName(orgId, id))),
    }
  }

  #rememberStrangers(orgId: number, { tags, location_keys, location_ids, asset_ids }: Lists): void {
    if (this.#strangers.size > MAX_STRANGERS) this.#strangers.clear()
    const until = this.#now() + STRANGER_MS
    const remember = (isKnown: boolean, name: string) => !isKnown && this.#strangers.set(name, until)
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
