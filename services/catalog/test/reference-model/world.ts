import { assetFields, type AssetView } from '@whereabouts/contracts/assets'
import { namesWith, pick } from '@whereabouts/contracts/fields'
import { locationFields, type LocationView } from '@whereabouts/contracts/locations'

/** The state of catalog according to the contract, without a database. */

export type Kind = 'asset' | 'location'

/** A resource, live or deleted, as the wire shows it. The fields of the other kind are there too, at their defaults. */
export type Thing = { kind: Kind } & Omit<AssetView, 'tags'> & Pick<LocationView, 'parent_id'>

/** A tag that was ever attached, in the order of attaching. */
export type Tag = {
  id: number
  tag_type: string
  value: string
  owner: { kind: Kind; id: number }
  /** `cascaded`: it went with its owner. */
  state: 'live' | 'detached' | 'cascaded'
}

/** `deleted_at` of what was deleted a moment ago: no answer has told it yet. */
export const UNTOLD = 'untold'

export type Org = { orgId: number; things: Thing[]; tags: Tag[] }

export type World = {
  orgs: Org[]
  /** Every id that was ever shown, of whatever resource and organization. */
  ids: Set<number>
  /** Requests are being explained that ran at the same time. */
  isRacing: boolean
}

export const newWorld = (...orgIds: number[]): World => ({
  orgs: orgIds.map((orgId) => ({ orgId, things: [], tags: [] })),
  ids: new Set(),
  isRacing: false,
})

export const liveThings = (org: Org, kind: Kind): Thing[] =>
  org.things.filter((thing) => thing.kind === kind && thing.deleted_at === null)

export const findThing = (org: Org, kind: Kind, id: number): Thing | undefined =>
  liveThings(org, kind).find((thing) => thing.id === id)

export const findByKey = (org: Org, kind: Kind, key: unknown): Thing | undefined =>
  liveThings(org, kind).find(({ external_key }) => external_key === key)

export const tagsOf = (org: Org, { kind, id }: { kind: Kind; id: number }): Tag[] =>
  org.tags.filter(({ state, owner }) => state === 'live' && owner.kind === kind && owner.id === id)

export const findTag = (org: Org, { tag_type, value }: { tag_type: string; value: string }) =>
  org.tags.find((tag) => tag.state === 'live' && tag.tag_type === tag_type && tag.value === value)

const MINTED = { asset: { prefix: 'ASSET-', digits: 4 }, location: { prefix: 'LOC-', digits: 3 } }

/** The highest live number plus one, chosen ones included; gaps are not filled (D4.4). */
export function mintedKey(org: Org, kind: Kind): string {
  const { prefix, digits } = MINTED[kind]
  const numbers = liveThings(org, kind)
    .map(({ external_key }) => external_key)
    .filter((key) => key.startsWith(prefix) && /^[0-9]+$/.test(key.slice(prefix.length)))
    .map((key) => Number(key.slice(prefix.length)))
  return prefix + String(Math.max(0, ...numbers) + 1).padStart(digits, '0')
}

/** Root first, self excluded. */
export function ancestors(org: Org, location: Thing): Thing[] {
  const parent = location.parent_id === null ? undefined : findThing(org, 'location', location.parent_id)
  return parent ? [...ancestors(org, parent), parent] : []
}

/** By name, then id. */
export function children(org: Org, { id }: Thing): Thing[] {
  const below = liveThings(org, 'location').filter(({ parent_id }) => parent_id === id)
  return below.toSorted((a, b) => compareText(a.name, b.name) || a.id - b.id)
}

/** Depth first, siblings as children are. */
export const descendants = (org: Org, location: Thing): Thing[] =>
  children(org, location).flatMap((child) => [child].concat(descendants(org, child)))

/** By code point, as the database orders; JavaScript's own order is that of UTF-16 units. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) // UTF-8 keeps that order
}

const columns = { asset: namesWith(assetFields, 'column'), location: namesWith(locationFields, 'column') }

export type View = Record<string, unknown> & { id: number; tags: unknown[] }

/** The thing as GET and lists show it. */
export function viewOf(org: Org, thing: Thing): View {
  const tags = tagsOf(org, thing).map(({ id, tag_type, value }) => ({ id, tag_type, value }))
  if (thing.kind === 'asset') return { ...pick(thing, columns.asset), tags }
  const { parent_id } = thing
  const parent = parent_id === null ? undefined : findThing(org, 'location', parent_id)
  return { ...pick(thing, columns.location), parent_external_key: parent?.external_key ?? null, tags }
}
