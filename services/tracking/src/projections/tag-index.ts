import type { TagState } from '@whereabouts/contracts/messages/catalog-state'
import { isPureIdentity, matchValue, matchValues } from '@whereabouts/contracts/tag-matching'

export type KnownTag = {
  orgId: number
  id: number
  revision: number
  type: string
  value: string
  assetId: number | null
  createdAt: string
  deleted: boolean
}

/**
 * Catalog's tags by the values that readers send. It has maps in maps, because every read looks up a tag: a combined
 * key of organization, type and value would be built and hashed for every read.
 */
export class TagIndex {
  readonly #tags = new Map<number, KnownTag>()
  /** Live tags by organization, type and `matchValue`, the oldest first. */
  readonly #byMatch = new Map<number, Map<string, Map<string, KnownTag[]>>>()
  /** By organization, its live tags that are pure identities. Without one, no read in hex needs decoding. */
  readonly #pureIdentities = new Map<number, Set<number>>()

  get size(): number {
    return this.#tags.size
  }

  /** An exact match beats a tolerant one; then the oldest tag wins (D6.5). */
  find(orgId: number, type: string, value: string): KnownTag | undefined {
    const values = this.#byMatch.get(orgId)?.get(type)
    // Nearly all reads are of known tags, in the form that is compared. Then the form need not be made.
    const candidates = values?.get(value) ?? values?.get(matchValue(type, value))
    if (type === 'rfid' && (this.#pureIdentities.has(orgId) || isPureIdentity(value)))
      return candidates?.find((tag) => tag.value === value) ?? this.#findAnyForm(values, value)
    if (candidates === undefined || candidates.length === 1) return candidates?.[0]
    return candidates.find((tag) => tag.value === value) ?? candidates[0]
  }

  #findAnyForm(values: Map<string, KnownTag[]> | undefined, value: string): KnownTag | undefined {
    const oldest = matchValues('rfid', value).flatMap((form) => values?.get(form)?.[0] ?? [])
    return oldest.toSorted(byAge)[0]
  }

  /** Applies a state. One that is not newer changes nothing. */
  apply(state: TagState): void {
    const before = this.#tags.get(state.id)
    if (before !== undefined && before.revision >= state.revision) return
    const tag = {
      orgId: state.org_id,
      id: state.id,
      revision: state.revision,
      type: state.tag_type,
      value: state.value,
      assetId: state.asset_id,
      createdAt: state.created_at,
      deleted: state.deleted_at !== null,
    }
    this.#tags.set(tag.id, tag)
    const values = this.#valuesOf(tag.orgId, tag.type)
    const match = matchValue(tag.type, tag.value)
    const others = (values.get(match) ?? []).filter((other) => other.id !== tag.id)
    const live = tag.deleted ? others : [...others, tag].toSorted(byAge)
    if (live.length > 0) values.set(match, live)
    else values.delete(match)
    if (isPureIdentity(match)) this.#notePureIdentity(tag)
  }

  clear(): void {
    this.#tags.clear()
    this.#byMatch.clear()
    this.#pureIdentities.clear()
  }

  #notePureIdentity({ orgId, id, deleted }: KnownTag): void {
    const ids = this.#pureIdentities.get(orgId) ?? new Set()
    if (deleted) ids.delete(id)
    else ids.add(id)
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

const byAge = (a: KnownTag, b: KnownTag) =>
  a.createdAt === b.createdAt ? a.id - b.id : a.createdAt < b.createdAt ? -1 : 1
