import type { components } from '../api.d.ts'
import { conflict, dangling, FIELDS, notFound, SAVE, TAG, validate, type Body, type Rules } from './rules.ts'

export type Kind = 'asset' | 'location'
type Tag = { id: number; tag_type: string; value: string }
/** An asset or a location as the API shows it. */
export type Thing = Body & { id: number; external_key: string; name: string; tags: Tag[] }
export type Place = { asset: number; location: Thing; since: string; seen: string }
export type Status = 'created' | 'updated' | 'unchanged'
type Event = components['schemas']['Event']

const DEFAULTS = {
  asset: {
    name: '',
    description: null,
    type: 'asset',
    metadata: {},
    home_location_id: null,
    home_location_external_key: null,
  },
  location: { name: '', description: null, parent_id: null, parent_external_key: null },
} as const
/** The fields that name another location: the home of an asset, the parent of a location. */
const PLACES = {
  asset: ['home_location_id', 'home_location_external_key'],
  location: ['parent_id', 'parent_external_key'],
} as const
const LABELS = { asset: 'Asset', location: 'Location' } as const

const without = (rules: Rules, ...names: string[]): Rules =>
  Object.fromEntries(Object.entries(rules).filter(([name]) => !names.includes(name)))
const pick = (rules: Rules, name: string): Rules =>
  Object.fromEntries(Object.entries(rules).filter(([own]) => own === name))
const nameOf = ({ id, external_key, name }: Thing) => ({ id, external_key, name })
const isSameTag = (a: Body | Tag, b: Body | Tag) => a.tag_type === b.tag_type && a.value === b.value
const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** What the test double knows: assets, locations, where assets are, and what happened. */
export class Store {
  state = { asset: [] as Thing[], location: [] as Thing[], places: [] as Place[], events: [] as Event[] }
  #lastId = 1_000

  /** All of the work or, if it throws or is a trial, nothing of it. */
  attempt<T>(work: () => T, isTrial = false): T {
    const before = structuredClone(this.state)
    let isKept = false
    try {
      const result = work()
      isKept = !isTrial
      return result
    } finally {
      if (!isKept) this.state = before
    }
  }

  byKey(kind: Kind, key: unknown): Thing | undefined {
    return this.state[kind].find(({ external_key }) => external_key === key)
  }

  one(kind: Kind, id: number): Thing {
    const found = this.state[kind].find((thing) => thing.id === id)
    if (!found) throw notFound(LABELS[kind])
    return found
  }

  create(kind: Kind, body: Body): Thing {
    const id = this.#nextId()
    const made = { external_key: `${kind.toUpperCase()}-${id}` } // as the API makes a key if there is none
    const { tags, ...values } = validate({ ...made, ...body }, FIELDS[kind])
    const now = new Date().toISOString()
    const times = { valid_from: now, valid_to: null, created_at: now, updated_at: now, deleted_at: null }
    const place = this.#placeOf(kind, values)
    const thing: Thing = {
      ...DEFAULTS[kind],
      is_active: true,
      ...times,
      ...made,
      ...values,
      ...place,
      id,
      tags: [],
    }
    const owner = this.byKey(kind, thing.external_key)
    if (owner) throw conflict(`${kind} ${thing.external_key} already exists`, this.#ownerOf(kind, owner))
    for (const tag of (tags ?? []) as unknown[]) thing.tags.push(this.#tagOf(tag, kind, thing))
    this.state[kind].push(thing)
    this.#happened(`${kind}.created`, { [kind]: thing })
    return thing
  }

  change(kind: Kind, thing: Thing, body: Body): Status {
    const given = validate(body, without(FIELDS[kind], 'external_key', 'tags'), true)
    const values: Body = { ...given, ...this.#placeOf(kind, given) }
    const changed = Object.keys(values).filter((field) => !isEqual(values[field], thing[field]))
    if (changed.length === 0) return 'unchanged'
    Object.assign(thing, values, { updated_at: new Date().toISOString() })
    this.#happened(`${kind}.updated`, { [kind]: thing, changed: changed.toSorted() })
    return 'updated'
  }

  remove(kind: Kind, thing: Thing): void {
    if (kind === 'location' && this.state.location.some(({ parent_id }) => parent_id === thing.id))
      throw conflict(`location ${thing.external_key} still has child locations`)
    this.state[kind] = this.state[kind].filter((one) => one !== thing)
    if (kind === 'asset') this.state.places = this.state.places.filter(({ asset }) => asset !== thing.id)
    // Without an event, as of the API: an asset changes only by what is done to it.
    for (const asset of this.state.asset)
      if (asset['home_location_id'] === thing.id) asset['home_location_external_key'] = null
    this.#happened(`${kind}.deleted`, { [kind]: nameOf(thing) })
  }

  attach(kind: Kind, thing: Thing, body: unknown): Tag {
    const tag = this.#tagOf(body, kind, thing)
    thing.tags.push(tag)
    this.#happened('tag.attached', { tag, [kind]: nameOf(thing) })
    return tag
  }

  detach(kind: Kind, thing: Thing, id: number): void {
    const tag = thing.tags.find((one) => one.id === id)
    if (!tag) throw notFound('Tag')
    thing.tags = thing.tags.filter((one) => one !== tag)
    this.#happened('tag.detached', { tag, [kind]: nameOf(thing) })
  }

  /** An item of a batch: what is absent stays, and `tags` is the whole set. */
  put(kind: Kind, item: Body, mode: string): { status: Status; id: number } {
    validate({ external_key: item['external_key'] }, pick(FIELDS[kind], 'external_key'))
    const { external_key, tags, ...values } = item
    const thing = this.byKey(kind, external_key)
    if (!thing && mode === 'update') throw notFound(LABELS[kind])
    if (!thing) return { status: 'created', id: this.create(kind, item).id }
    if (mode === 'create')
      throw conflict(`${kind} ${thing.external_key} already exists`, this.#ownerOf(kind, thing))
    validate({ tags }, pick(FIELDS[kind], 'tags'))
    if (tags === undefined || tags === null) return { status: this.change(kind, thing, values), id: thing.id }
    const status = this.attempt(() => {
      const changed = this.change(kind, thing, values)
      return this.#setTags(kind, thing, tags as Body[]) ? 'updated' : changed
    })
    return { status, id: thing.id }
  }

  /** Whether it changed. */
  #setTags(kind: Kind, thing: Thing, wanted: readonly Body[]): boolean {
    const surplus = thing.tags.filter((has) => !wanted.some((one) => isSameTag(one, has)))
    const missing = wanted.filter((one) => !thing.tags.some((has) => isSameTag(one, has)))
    const changed = this.state.events.at(-1)
    for (const tag of surplus) this.detach(kind, thing, tag.id)
    for (const tag of missing) this.attach(kind, thing, tag)
    // The event of what else the item changed shows the tags that it sets.
    if (changed?.type === `${kind}.updated`)
      Object.assign((changed.data as Record<Kind, Thing>)[kind], { tags: structuredClone(thing.tags) })
    return surplus.length + missing.length > 0
  }

  save(body: Body): { count: number; location_id: number; location_name: string; timestamp: string } {
    const given = validate(body, SAVE)
    const keys = given['asset_identifiers'] as unknown[]
    const assets = keys.map((key) => this.byKey('asset', key) ?? nowhere('asset_identifiers', key, 'asset'))
    const key = given['location_identifier']
    const location = this.byKey('location', key) ?? nowhere('location_identifier', key, 'location')
    const timestamp = new Date().toISOString()
    for (const asset of assets) this.#move(asset, location, timestamp)
    return { count: assets.length, location_id: location.id, location_name: location.name, timestamp }
  }

  #move(asset: Thing, location: Thing, at: string): void {
    const place = this.state.places.find((one) => one.asset === asset.id)
    if (place?.location.id === location.id) {
      place.seen = at
      return
    }
    const others = this.state.places.filter((one) => one !== place)
    this.state.places = [...others, { asset: asset.id, location, since: at, seen: at }]
    const brief = ({ id, name }: Thing) => ({ id, name })
    const from = this.state.location.find(({ id }) => id === place?.location.id) // a deleted one is none
    const from_location = from ? brief(from) : null
    this.#happened('asset.moved', { asset: nameOf(asset), from_location, to_location: brief(location) })
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  #ownerOf = (resource: Kind, { id, external_key }: Thing) => ({ resource, id, external_key })

  #placeOf(kind: Kind, values: Body): Body {
    const [idField, keyField] = PLACES[kind]
    const field = values[idField] === undefined ? keyField : idField
    const given = values[field]
    if (given === undefined) return {}
    if (given === null) return { [idField]: null, [keyField]: null }
    const place = this.state.location.find(
      ({ id, external_key }) => given === (field === idField ? id : external_key),
    )
    if (!place) throw dangling(field, `${field} does not refer to a location`)
    return { [idField]: place.id, [keyField]: place.external_key }
  }

  /** For `thing` of `kind`, which may be new. */
  #tagOf(body: unknown, kind: Kind, thing: Thing): Tag {
    const { tag_type, value } = validate(body, TAG) as { tag_type: string; value: string }
    const owners = (['asset', 'location'] as const).flatMap((of) =>
      this.state[of].map((one) => [of, one] as const),
    )
    const owner = [...owners, [kind, thing] as const].find(([, { tags }]) =>
      tags.some((tag) => isSameTag(tag, { tag_type, value })),
    )
    const isStored = owner !== undefined && this.state[owner[0]].includes(owner[1])
    if (owner)
      throw conflict(
        `tag ${tag_type}:${value} already exists`,
        isStored ? this.#ownerOf(...owner) : undefined,
      )
    return { id: this.#nextId(), tag_type, value }
  }

  #happened(type: string, data: object): void {
    const now = new Date().toISOString()
    const event = {
      id: crypto.randomUUID(),
      type,
      occurred_at: now,
      recorded_at: now,
      data: structuredClone(data),
    }
    this.state.events.push(event as unknown as Event)
  }
}

function nowhere(field: string, value: unknown, kind: Kind): never {
  throw dangling(field, `${field}: ${String(value)} does not name a live ${kind}`, { value })
}
