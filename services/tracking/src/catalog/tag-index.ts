import { epochMs } from '@whereabouts/contracts/rules/instant'
import type { TagState } from '@whereabouts/contracts/messages/catalog-state'
import {
  isPureIdentity,
  matchValue,
  matchValues,
} from '@whereabouts/contracts/resources/catalog/tag-matching'
import { REMEMBERED_MS } from '../as-of.ts'
import { byAge, ownerAt, type KnownTag } from './tag-owners.ts'

/**
 * Catalog's tags by the values that readers send. It has maps in maps, because every read looks up a tag: a combined
 * key of organization, type and value would be built and hashed for every read.
 */
export class TagIndex {
  readonly #now: () => number
  readonly #tags = new Map<number, KnownTag>()
  /** Tags by organization, type and `matchValue`, the oldest first: live ones, and those that were recently detached. */
  readonly #byMatch = new Map<number, Map<string, Map<string, KnownTag[]>>>()
  /** By organization, those of them that are pure identities. Without one, no read in hex needs decoding. */
  readonly #pureIdentities = new Map<number, Set<number>>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  get size(): number {
    return this.#tags.size
  }

  /** The live tag. An exact match beats a tolerant one; then the oldest tag wins (D6.5). */
  find(orgId: number, type: string, value: string): KnownTag | undefined {
    const live = this.#matching(orgId, type, value).filter(isLive)
    return live.find((tag) => tag.value === value) ?? live[0]
  }

  /**
   * The tag that had this value at an instant, also if it is detached now (D18.1). Null if none had it then, undefined if
   * none is known that has or recently had it.
   */
  findAt(orgId: number, type: string, value: string, asOfMs: number): KnownTag | null | undefined {
    const values = this.#byMatch.get(orgId)?.get(type)
    // Nearly all reads are of known tags, in the form that is compared. Then the form need not be made.
    const rows = values?.get(value) ?? values?.get(matchValue(type, value))
    const tag = rows?.[0]
    const isAlone = tag !== undefined && rows?.length === 1 && isLive(tag)
    if (type === 'rfid' && (this.#pureIdentities.has(orgId) || isPureIdentity(value))) {
      if (isAlone && tag.value === value && asOfMs >= tag.fromMs) return tag
      return this.#ownerAt(anyForm(values, value), value, asOfMs)
    }
    // Nearly every value has had one tag only, and the first one counts for earlier times too.
    if (isAlone) return tag
    return rows && this.#ownerAt(rows, value, asOfMs)
  }

  #ownerAt(rows: readonly KnownTag[], value: string, asOfMs: number): KnownTag | null | undefined {
    return ownerAt(rows, { value, asOfMs, sinceMs: this.#now() - REMEMBERED_MS })
  }

  #matching(orgId: number, type: string, value: string): KnownTag[] {
    const values = this.#byMatch.get(orgId)?.get(type)
    if (type === 'rfid' && (this.#pureIdentities.has(orgId) || isPureIdentity(value)))
      return anyForm(values, value)
    return values?.get(matchValue(type, value)) ?? []
  }

  /** Applies a state. One that is not newer changes nothing. */
  apply(state: TagState): void {
    const before = this.#tags.get(state.id)
    if (before !== undefined && before.revision >= state.revision) return
    const tag: KnownTag = {
      orgId: state.org_id,
      id: state.id,
      revision: state.revision,
      type: state.tag_type,
      value: state.value,
      assetId: state.asset_id,
      createdAt: state.created_at,
      fromMs: epochMs(state.created_at),
      untilMs: state.deleted_at === null ? Infinity : epochMs(state.deleted_at),
    }
    this.#tags.set(tag.id, tag)
    const sinceMs = this.#now() - REMEMBERED_MS
    const isRemembered = ({ untilMs }: KnownTag) => untilMs > sinceMs
    const values = this.#valuesOf(tag.orgId, tag.type)
    const match = matchValue(tag.type, tag.value)
    const others = (values.get(match) ?? []).filter((other) => other.id !== tag.id && isRemembered(other))
    const rows = isRemembered(tag) ? [...others, tag].toSorted(byAge) : others
    if (rows.length > 0) values.set(match, rows)
    else values.delete(match)
    if (isPureIdentity(match)) this.#notePureIdentity(tag, isRemembered(tag))
  }

  clear(): void {
    this.#tags.clear()
    this.#byMatch.clear()
    this.#pureIdentities.clear()
  }

  #notePureIdentity({ orgId, id }: KnownTag, isRemembered: boolean): void {
    const ids = this.#pureIdentities.get(orgId) ?? new Set()
    if (isRemembered) ids.add(id)
    else ids.delete(id)
    if (ids.size > 0) this.#pureIdentities.set(orgId, ids)
    else this.#pureIdentities.delete(orgId)
  }

  #valuesOf(orgId: number, type: string): Map<string, KnownTag[]> {
    const types = this.#byMatch.get(orgId) ?? new Map<string, Map<string, KnownTag[]>>()
    this.#byMatch.set(orgId, types)
    const values = types.get(type) ?? new Map<string, KnownTag[]>()
    types.set(type, values)
    return values
  }
}

const isLive = ({ untilMs }: KnownTag) => untilMs === Infinity

/** The tags of all forms that match an `rfid` value, the oldest first. */
const anyForm = (values: Map<string, KnownTag[]> | undefined, value: string): KnownTag[] =>
  matchValues('rfid', value)
    .flatMap((form) => values?.get(form) ?? [])
    .toSorted(byAge)
