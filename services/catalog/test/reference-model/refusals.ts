import { AssetCreate, AssetPatch } from '@whereabouts/contracts/resources/catalog/assets'
import { LocationCreate, LocationPatch } from '@whereabouts/contracts/resources/catalog/locations'
import { fieldEntries } from '@whereabouts/service-kit/errors/field-entries'
import type { Body, Operation } from './operations.ts'
import {
  descendants,
  findByKey,
  findTag,
  findResource,
  tagsOf,
  viewOf,
  type Kind,
  type Org,
  type Resource,
} from './world.ts'

/** Entries as `field code`, in any order. */
export type Refusal = { status: 400; codes: string[] } | { status: 404 } | { status: 409; details: string[] }

/** The refusal by the contract, if any. Checks in the order of D2: body, missing resources, stored rows, conflicts. */
export function refusalOf(org: Org, operation: Operation): Refusal | undefined {
  const { kind } = operation
  const body = 'body' in operation ? operation.body : {}
  const shape = shapeProblems(operation, body)
  if (shape.length > 0) return { status: 400, codes: shape }
  const resource = 'id' in operation ? findResource(org, kind, operation.id) : undefined
  if ('id' in operation && !resource) return { status: 404 }
  if (
    operation.do === 'detach' &&
    resource &&
    !tagsOf(org, resource).some(({ id }) => id === operation.tagId)
  )
    return { status: 404 }
  const stored = storedProblems(org, operation, body, resource)
  if (stored.length > 0) return { status: 400, codes: stored }
  const details = conflicts(org, operation, body, resource)
  return details.length > 0 ? { status: 409, details } : undefined
}

const has = (body: Body, field: string) => body[field] !== undefined

const schemas = {
  create: { asset: AssetCreate, location: LocationCreate },
  patch: { asset: AssetPatch, location: LocationPatch },
}

/** The schemas of the contract check single values; the model does not repeat them. */
function shapeProblems({ do: verb, kind }: Operation, body: Body): string[] {
  if (verb !== 'create' && verb !== 'patch') return []
  const { error } = schemas[verb][kind].safeParse(body, { reportInput: true })
  return fieldEntries(error?.issues ?? [], 'body').map(({ field, code }) => `${field} ${code}`)
}

const AMBIGUOUS = ['parent_id ambiguous_fields', 'parent_external_key ambiguous_fields']

/** In milliseconds; infinite if a bound is missing. */
function windowLength(from: unknown, to: unknown): number {
  if (typeof from !== 'string' || typeof to !== 'string') return Infinity
  return Date.parse(to) - Date.parse(from)
}

function storedProblems(
  org: Org,
  { do: verb }: Operation,
  body: Body,
  resource: Resource | undefined,
): string[] {
  if (verb === 'create') return parentProblems(org, body)
  if (verb !== 'patch' || !resource) return []
  return [
    ...echoProblems(org, body, resource),
    ...parentProblems(org, body),
    ...windowProblems(body, resource),
  ]
}

/** The stored window is valid, so only a new bound can make it invalid. */
function windowProblems(body: Body, stored: { valid_from: string; valid_to?: string | null }): string[] {
  if (!has(body, 'valid_from') && !has(body, 'valid_to')) return []
  const merged = { ...stored, ...body }
  return windowLength(merged.valid_from, merged.valid_to) < 1 ? ['valid_to invalid_value'] : []
}

function parentProblems(org: Org, { parent_id, parent_external_key }: Body): string[] {
  if (typeof parent_external_key === 'string') {
    const parent = findByKey(org, 'location', parent_external_key)
    if (!parent) return ['parent_external_key fk_not_found']
    return typeof parent_id === 'number' && parent_id !== parent.id ? AMBIGUOUS : []
  }
  return typeof parent_id === 'number' && !findResource(org, 'location', parent_id)
    ? ['parent_id fk_not_found']
    : []
}

/** The id of the parent that a body names; null for a root, undefined if it names none that resolves. */
export function parentNamed(org: Org, { parent_id, parent_external_key }: Body): number | null | undefined {
  if (typeof parent_external_key === 'string') return findByKey(org, 'location', parent_external_key)?.id
  return (parent_id ?? parent_external_key) as number | null | undefined
}

const READ_ONLY = ['id', 'created_at', 'updated_at', 'deleted_at']

/** Read-only fields are accepted if they equal the stored row, else refused (D4.8). */
function echoProblems(org: Org, body: Body, resource: Resource): string[] {
  const stored = viewOf(org, resource)
  const differing = [...READ_ONLY, 'external_key', 'tags'].filter(
    (field) => has(body, field) && !sameEcho(field, body[field], stored[field]),
  )
  return differing.map((field) => `${field} ${READ_ONLY.includes(field) ? 'read_only' : 'invalid_context'}`)
}

function sameEcho(field: string, sent: unknown, stored: unknown): boolean {
  if (field === 'tags') return setOf(sent) === setOf(stored)
  if (field.endsWith('_at') && sent !== null && stored !== null)
    return Date.parse(sent as string) === Date.parse(stored as string)
  return sent === stored
}

type TagLike = { id: number; tag_type: string; value: string }

function setOf(tags: unknown): string {
  const names = (tags as TagLike[]).map(({ id, tag_type, value }) => JSON.stringify([id, tag_type, value]))
  return [...new Set(names)].toSorted().join()
}

function conflicts(org: Org, operation: Operation, body: Body, resource: Resource | undefined): string[] {
  const { kind } = operation
  switch (operation.do) {
    case 'create':
      return [
        ...takenKey(org, kind, body['external_key']),
        ...takenTags(org, (body['tags'] ?? []) as TagLike[]),
      ]
    case 'rename':
      return body['external_key'] === resource?.external_key ? [] : takenKey(org, kind, body['external_key'])
    case 'attach':
      return takenTags(org, [body as TagLike])
    case 'patch':
      return resource && makesCycle(org, resource, parentNamed(org, body)) ? [insideItself(resource)] : []
    case 'delete':
      return resource && hasChildren(org, resource)
        ? [`location ${resource.external_key} still has child locations`]
        : []
    default:
      return []
  }
}

const takenKey = (org: Org, kind: Kind, key: unknown) =>
  findByKey(org, kind, key) ? [`${kind} ${String(key)} already exists`] : []

function takenTags(org: Org, tags: readonly TagLike[]): string[] {
  const names = tags.map(({ tag_type, value }) => `${tag_type}:${value}`)
  const taken = tags.filter((tag, i) => findTag(org, tag) || names.indexOf(names[i] ?? '') < i)
  return taken.map(({ tag_type, value }) => `tag ${tag_type}:${value} already exists`)
}

const insideItself = ({ external_key }: Resource) =>
  `location ${external_key} cannot be moved into itself or into a location inside it`

const makesCycle = (org: Org, resource: Resource, parentId: number | null | undefined) =>
  resource.kind === 'location' && [resource, ...descendants(org, resource)].some(({ id }) => id === parentId)

const hasChildren = (org: Org, { kind, id }: Resource) =>
  kind === 'location' &&
  org.resources.some(({ parent_id, deleted_at }) => parent_id === id && deleted_at === null)
