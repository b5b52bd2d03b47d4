import { assetFields, type AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import type { WebhookEventType } from '@whereabouts/contracts/messages/webhook-events'
import { namesWith, pick } from '@whereabouts/contracts/rules/fields'
import { locationFields, type LocationView } from '@whereabouts/contracts/resources/catalog/locations'

/** The state of catalog according to the contract, without a database. */

export type Kind = 'asset' | 'location'

/** A resource, live or deleted, as replies show it. It also has the fields of the other kind, with their defaults. */
export type Resource = { kind: Kind } & Omit<AssetView, 'tags'> & Pick<LocationView, 'parent_id'>

/** A tag, live or not. Tags are in the order of attaching. */
export type Tag = {
  id: number
  tag_type: string
  value: string
  owner: { kind: Kind; id: number }
  /** `cascaded`: deleted with its owner. */
  state: 'live' | 'detached' | 'cascaded'
}

/** `deleted_at` of a deleted resource or tag whose time no reply has shown yet. */
export const NOT_SHOWN = 'not shown'

/** An event that the feed must show, without its id and instant. */
export type Event = { type: WebhookEventType; data: Record<string, unknown> }

export type Org = { orgId: number; resources: Resource[]; tags: Tag[]; events: Event[] }

export type World = {
  orgs: Org[]
  /** All ids that replies have shown, of all kinds and organizations. */
  ids: Set<number>
  /** The model is replaying simultaneous requests. */
  isRacing: boolean
}

export const newWorld = (...orgIds: number[]): World => ({
  orgs: orgIds.map((orgId) => ({ orgId, resources: [], tags: [], events: [] })),
  ids: new Set(),
  isRacing: false,
})

export const liveResources = (org: Org, kind: Kind): Resource[] =>
  org.resources.filter((resource) => resource.kind === kind && resource.deleted_at === null)

export const findResource = (org: Org, kind: Kind, id: number): Resource | undefined =>
  liveResources(org, kind).find((resource) => resource.id === id)

export const findByKey = (org: Org, kind: Kind, key: unknown): Resource | undefined =>
  liveResources(org, kind).find(({ external_key }) => external_key === key)

export const tagsOf = (org: Org, { kind, id }: { kind: Kind; id: number }): Tag[] =>
  org.tags.filter(({ state, owner }) => state === 'live' && owner.kind === kind && owner.id === id)

export const findTag = (org: Org, { tag_type, value }: { tag_type: string; value: string }) =>
  org.tags.find((tag) => tag.state === 'live' && tag.tag_type === tag_type && tag.value === value)

const MINTED = { asset: { prefix: 'ASSET-', digits: 4 }, location: { prefix: 'LOC-', digits: 3 } }

/** The highest live number plus one, chosen ones included; gaps are not filled (D4.4). */
export function mintedKey(org: Org, kind: Kind): string {
  const { prefix, digits } = MINTED[kind]
  const numbers = liveResources(org, kind)
    .map(({ external_key }) => external_key)
    .filter((key) => key.startsWith(prefix) && /^[0-9]+$/.test(key.slice(prefix.length)))
    .map((key) => Number(key.slice(prefix.length)))
  return prefix + String(Math.max(0, ...numbers) + 1).padStart(digits, '0')
}

/** Root first, without the location itself. */
export function ancestors(org: Org, location: Resource): Resource[] {
  const parent = location.parent_id === null ? undefined : findResource(org, 'location', location.parent_id)
  return parent ? [...ancestors(org, parent), parent] : []
}

/** By name, then id. */
export function children(org: Org, { id }: Resource): Resource[] {
  const below = liveResources(org, 'location').filter(({ parent_id }) => parent_id === id)
  return below.toSorted((a, b) => compareText(a.name, b.name) || a.id - b.id)
}

/** Depth first, siblings in the order of `children`. */
export const descendants = (org: Org, location: Resource): Resource[] =>
  children(org, location).flatMap((child) => [child].concat(descendants(org, child)))

/** By code point, like the database. JavaScript compares UTF-16 units. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) // UTF-8 has the order of code points
}

const columns = { asset: namesWith(assetFields, 'column'), location: namesWith(locationFields, 'column') }

export type View = Record<string, unknown> & { id: number; tags: unknown[] }

/** A value with an EPC, and what it says (D16.5). */
export const EPC_TAG = {
  value: '0x3074257bf7194e4000001a85',
  epc: {
    scheme: 'sgtin-96',
    uri: 'urn:epc:tag:sgtin-96:3.0614141.812345.6789',
    pure_identity_uri: 'urn:epc:id:sgtin:0614141.812345.6789',
    company_prefix: '0614141',
    filter: 3,
    serial: '6789',
  },
}

export function tagView({ id, tag_type, value }: Pick<Tag, 'id' | 'tag_type' | 'value'>): object {
  const epc = value === EPC_TAG.value ? EPC_TAG.epc : null
  return { id, tag_type, value, ...(tag_type === 'rfid' && { epc }) }
}

/** The resource as in replies of GET and lists. */
export function viewOf(org: Org, resource: Resource): View {
  const tags = tagsOf(org, resource).map(tagView)
  if (resource.kind === 'asset') {
    const home = liveResources(org, 'location').find(({ id }) => id === resource.home_location_id)
    return { ...pick(resource, columns.asset), home_location_external_key: home?.external_key ?? null, tags }
  }
  const { parent_id } = resource
  const parent = org.resources.find(({ kind, id }) => kind === 'location' && id === parent_id) // deleted ones too (D17.3)
  return { ...pick(resource, columns.location), parent_external_key: parent?.external_key ?? null, tags }
}
