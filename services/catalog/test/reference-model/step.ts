import { assetFields } from '@whereabouts/contracts/resources/catalog/assets'
import { namesWith, type Fields } from '@whereabouts/contracts/rules/fields'
import { locationFields } from '@whereabouts/contracts/resources/catalog/locations'
import { differ, equal } from './differences.ts'
import type { Reply, Body, Operation } from './operations.ts'
import { listProblems, treeProblems } from './pages.ts'
import { parentNamed, refusalOf, type Refusal } from './refusals.ts'
import {
  descendants,
  findResource,
  mintedKey,
  tagsOf,
  tagView,
  NOT_SHOWN,
  viewOf,
  type Kind,
  type Org,
  type Resource,
  type Tag,
  type View,
  type World,
} from './world.ts'

const defaultsOf = (fields: Fields) =>
  Object.fromEntries(namesWith(fields, 'default').map((name) => [name, fields[name]?.default]))

type Of<D extends Operation['do']> = Extract<Operation, { do: D }>

/**
 * Checks one reply against the world and applies the request to the world. Returns the problems of the reply.
 */
export function step(world: World, operation: Operation, reply: Reply): string[] {
  const org = world.orgs[operation.org]
  if (!org) throw new Error('no such organization')
  const refusal = refusalOf(org, operation)
  if (refusal) return refusalProblems(refusal, reply)
  switch (operation.do) {
    case 'create':
      return created(world, org, operation, reply)
    case 'get':
      return [...status(200, reply), ...shows(org, resourceOf(org, operation), reply)]
    case 'patch':
      return patched(org, resourceOf(org, operation), operation.body, reply)
    case 'rename':
      return renamed(world, org, resourceOf(org, operation), String(operation.body['external_key']), reply)
    case 'delete':
      return deleted(org, resourceOf(org, operation), reply)
    case 'attach':
      return attached(world, org, operation, reply)
    case 'detach':
      return detached(org, operation, reply)
    case 'list':
      return listProblems(org, operation, reply)
    default:
      return treeProblems(org, resourceOf(org, operation), operation, reply)
  }
}

function resourceOf(org: Org, { kind, id }: { kind: Kind; id: number }): Resource {
  const resource = findResource(org, kind, id)
  if (!resource) throw new Error('refusalOf handles missing resources')
  return resource
}

function refusalProblems(refusal: Refusal, reply: Reply): string[] {
  const { error } = reply.body
  const problems = status(refusal.status, reply)
  if (problems.length > 0) return problems
  if (refusal.status === 409)
    return refusal.details.includes(error?.detail ?? '')
      ? []
      : differ('detail', error?.detail, refusal.details)
  if (refusal.status === 404) return []
  const codes = error?.fields?.map(({ field, code }) => `${field} ${code}`) ?? []
  return equal('fields', codes.toSorted(), refusal.codes.toSorted())
}

function created(world: World, org: Org, { kind, body }: Of<'create'>, reply: Reply): string[] {
  const view = reply.body.data as View | undefined
  const problems = status(201, reply)
  if (problems.length > 0 || !view) return problems
  const now = String(view['created_at'])
  const parent_id = parentNamed(org, body) ?? null
  const { tags: wanted, parent_external_key: _, ...fields } = body
  const defaults = { ...defaultsOf(locationFields), ...defaultsOf(assetFields), valid_from: now }
  const own = { kind, id: view.id, created_at: now, updated_at: now, deleted_at: null, parent_id }
  const external_key = mintedKey(org, kind)
  org.resources.push({ external_key, ...defaults, ...onTheWire(fields), ...own } as Resource)
  const tags = (wanted ?? []) as { tag_type: string; value: string }[]
  for (const [i, tag] of tags.entries()) addTag(org, { kind, id: view.id }, tag, view.tags[i])
  const ids = [view.id, ...(view.tags as View[]).map(({ id }) => id)]
  const made = resourceOf(org, { kind, id: view.id })
  org.events.push({ type: `${kind}.created`, data: { [kind]: viewOf(org, made) } })
  return [...newIds(world, ids), ...shows(org, made, reply)]
}

/** Sent fields as replies show them: instants in UTC, truncated to milliseconds. */
function onTheWire(fields: Body): Body {
  const shown = Object.entries(fields).map(([field, value]) =>
    field.startsWith('valid_') && typeof value === 'string'
      ? [field, new Date(value.replace(/(\.\d{3})\d+/, '$1')).toISOString()]
      : [field, value],
  )
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined)) as Body
}

function addTag(
  org: Org,
  owner: { kind: Kind; id: number },
  tag: { tag_type: string; value: string },
  shown: unknown,
): Tag {
  const { id } = shown as { id: number }
  const added: Tag = { id, tag_type: tag.tag_type, value: tag.value, owner, state: 'live' }
  org.tags.push(added)
  return added
}

/** Ids are unique across types and organizations, and safe integers. */
function newIds(world: World, ids: number[]): string[] {
  const stale = ids.filter((id) => world.ids.has(id) || !Number.isSafeInteger(id) || id < 1)
  for (const id of ids) world.ids.add(id)
  return stale.map((id) => `the id ${id} was used before`)
}

function patched(org: Org, resource: Resource, body: Body, reply: Reply): string[] {
  const { tags: _, external_key: __, parent_external_key: ___, ...changes } = body
  const parent_id = parentNamed(org, body)
  const before = viewOf(org, resource)
  Object.assign(resource, onTheWire(changes), parent_id !== undefined && { parent_id })
  const advance = touched(resource, reply)
  tellChange(org, resource, before)
  return [...status(200, reply), ...advance, ...shows(org, resource, reply)]
}

/** A change of nothing but `updated_at` has no event. */
function tellChange(org: Org, resource: Resource, before: View): void {
  const { kind } = resource
  const view = viewOf(org, resource)
  const changed = Object.keys(view)
    .filter((field) => field !== 'updated_at' && equal(field, view[field], before[field]).length > 0)
    .toSorted()
  if (changed.length > 0) org.events.push({ type: `${kind}.updated`, data: { [kind]: view, changed } })
}

const named = ({ id, external_key, name }: Resource) => ({ id, external_key, name })

function tellTag(org: Org, type: 'tag.attached' | 'tag.detached', tag: Tag): void {
  const { kind } = tag.owner
  org.events.push({ type, data: { tag: tagView(tag), [kind]: named(resourceOf(org, tag.owner)) } })
}

/** Replies must show a later `updated_at`, because clients use it as a concurrency token. */
function touched(resource: Resource, reply: Reply): string[] {
  const before = resource.updated_at
  resource.updated_at = String((reply.body.data as View | undefined)?.['updated_at'])
  return resource.updated_at > before ? [] : [`updated_at ${before} became ${resource.updated_at}`]
}

/** The service counts descendants before the rename, so in a race the number may differ. */
function renamed({ isRacing }: World, org: Org, resource: Resource, key: string, reply: Reply): string[] {
  const before = viewOf(org, resource)
  const advance = key === resource.external_key ? [] : touched(resource, reply)
  resource.external_key = key
  tellChange(org, resource, before)
  const affected = resource.kind === 'location' ? descendants(org, resource).length : 0
  const said = reply.body.descendant_count_affected
  const count = isRacing ? [] : equal('descendant_count_affected', said, affected)
  return [...status(200, reply), ...advance, ...count, ...shows(org, resource, reply)]
}

function deleted(org: Org, resource: Resource, reply: Reply): string[] {
  for (const tag of tagsOf(org, resource)) tag.state = 'cascaded'
  resource.deleted_at = NOT_SHOWN
  org.events.push({ type: `${resource.kind}.deleted`, data: { [resource.kind]: named(resource) } })
  return status(204, reply)
}

function attached(world: World, org: Org, { kind, id, body }: Of<'attach'>, reply: Reply): string[] {
  const problems = status(201, reply)
  if (problems.length > 0) return problems
  const shown = reply.body.data as View
  const tag = body as { tag_type: string; value: string }
  tellTag(org, 'tag.attached', addTag(org, { kind, id }, tag, shown))
  return [...newIds(world, [shown.id]), ...equal('tag', shown, tagView({ id: shown.id, ...tag }))]
}

function detached(org: Org, { tagId }: Of<'detach'>, reply: Reply): string[] {
  const tag = org.tags.find(({ id }) => id === tagId)
  if (tag) {
    tag.state = 'detached'
    tellTag(org, 'tag.detached', tag)
  }
  return status(204, reply)
}

const shows = (org: Org, resource: Resource, reply: Reply) =>
  equal('data', reply.body.data, viewOf(org, resource))

const status = (wanted: number, reply: Reply) => equal('status', reply.status, wanted)
