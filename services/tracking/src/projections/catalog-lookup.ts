import {
  catalogLookup,
  type CatalogLookup,
  type CatalogLookupReply,
} from '@whereabouts/contracts/messages/catalog-lookup'
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

  /** Fills in tags and location keys of one organization as far as they exist. Throws CatalogUnavailable. */
  async fill(
    orgId: number,
    tags: readonly Tag[],
    locationKeys: readonly string[],
    signal?: AbortSignal,
  ): Promise<void> {
    const wantedTags = tags.filter((tag) => !this.#isStranger(tagName(orgId, tag)))
    const wantedKeys = locationKeys.filter((key) => !this.#isStranger(keyName(orgId, key)))
    for (let at = 0; at < Math.max(wantedTags.length, wantedKeys.length); at += AT_ONCE) {
      const some = {
        tags: wantedTags.slice(at, at + AT_ONCE),
        location_keys: wantedKeys.slice(at, at + AT_ONCE),
      }
      this.apply(await this.#ask({ org_id: orgId, ...some }, signal))
      this.#rememberStrangers(orgId, some.tags, some.location_keys)
    }
  }

  apply(reply: CatalogLookupReply): void {
    for (const asset of reply.assets) this.#view.applyAsset(asset)
    for (const location of reply.locations) this.#view.applyLocation(location)
    for (const tag of reply.tags) this.#view.applyTag(tag)
  }

  #isStranger(name: string): boolean {
    const until = this.#strangers.get(name)
    return until !== undefined && until > this.#now()
  }

  #rememberStrangers(orgId: number, tags: readonly Tag[], keys: readonly string[]): void {
    if (this.#strangers.size > MAX_STRANGERS) this.#strangers.clear()
    const until = this.#now() + STRANGER_MS
    for (const tag of tags)
      if (!this.#view.matchTag(orgId, tag.tag_type, tag.value).known)
        this.#strangers.set(tagName(orgId, tag), until)
    for (const key of keys)
      if (!this.#view.locationByKey(orgId, key)) this.#strangers.set(keyName(orgId, key), until)
  }
}

const tagName = (orgId: number, tag: Tag) => `${orgId} ${tag.tag_type} ${matchValue(tag.tag_type, tag.value)}`
const keyName = (orgId: number, key: string) => `${orgId} @ ${key}`
