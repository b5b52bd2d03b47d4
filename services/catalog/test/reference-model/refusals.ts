import { AssetCreate, AssetPatch } from '@whereabouts/contracts/assets'
import { LocationCreate, LocationPatch } from '@whereabouts/contracts/locations'
import { fieldEntries } from '@whereabouts/service-kit/field-entries'
import type { Body, Operation } from './operations.ts'
import {
  descendants,
  findByKey,
  findTag,
  findThing,
  tagsOf,
  viewOf,
  type Kind,
  type Org,
  type Thing,
} from './world.ts'

/** Entries as `field code`, in any order. */
export type Refusal = { status: 400; codes: string[] } | { status: 404 } | { status: 409; details: string[] }

/** What the contract answers instead of doing it, in the order of D2: the body, what is missing, stored rows, conflicts. */
export function refusalOf(org: Org, operation: Operation): Refusal | undefined {
  const { kind } = operation
  const body = 'body' in operation ? operation.body : {}
  const shape = shapeProblems(operation, body)
  if (shape.length > 0) return { status: 400, codes: shape }
  const thing = 'id' in operation ? findThing(org, kind, operation.id) : undefined
  if ('id' in operation && !thing) return { status: 404 }
  if (operation.do === 'detach' && thing && !tagsOf(org, thing).some(({ id }) => id === operation.tagId))
    return { status: 404 }
  const stored = storedProblems(org, operation, body, thing)
  if (stored.length > 0) return { status: 400, codes: stored }
  const details = conflicts(org, operation, body, thing)
  return details.length > 0 ? { status: 409, details } : undefined
}

const has = (body: Body, field: string) => body[field] !== undefined

const schemas = {
  create: { asset: AssetCreate, location: LocationCreate },
  patch: { asset: AssetPatch, location: LocationPatch },
}

/** Whether a value is well-formed is not the model's question: the schemas of the contract say it. */
function shapeProblems({ do: verb, kind }: Operation, body: Body): string[] {
  if (verb !== 'create' && verb !== 'patch') return []
  const { error } = schemas[verb][kind].safeParse(body, { reportInput: true })
  return fieldEntries(error?.issues ?? [], 'body').map(({ field, code }) => `${field} ${code}`)
}

const AMBIGUOUS = ['parent_id ambiguous_fields', 'parent_external_key ambiguous_fields']

/** In milliseconds; without an end where a bound is missing. */
function windowLength(from: unknown, to: unknown): number {
  if (typeof from !== 'string' || typeof to !== 'string') return Infinity
  return Date.parse(to) - Date.parse(from)
}

function storedProblems(org: Org, { do: verb }: Operation, body: Body, thing: Thing | undefined): string[] {
  if (verb === 'create') return parentProblems(org, body)
  if (verb !== 'patch' || !thing) return []
  return [...echoProblems(org, body, thing), ...parentProblems(org, body), ...windowProblems(body, thing)]
}

/** Of a row whose window was right, only a new bound can make it wrong. */
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
  return typeof parent_id === 'number' && !findThing(org, 'location', parent_id)
    ? ['parent_id fk_not_found']
    : []
}

/** The live parent that a body names, where it is one that resolves; null for the root, undefined where none is named. */
export function parentNamed(org: Org, { parent_id, parent_external_key }: Body): number | null | undefined {
  if (typeof parent_external_key === 'string') return findByKey(org, 'location', parent_external_key)?.id
  return (parent_id ?? parent_external_key) as number | null | undefined
}

const READ_ONLY = ['id', 'created_at', 'updated_at', 'deleted_at']

/** Accept if it matches, refuse if it differs (PATCH semantics 2 to 4). */
function echoProblems(org: Org, body: Body, thing: Thing): string[] {
  const stored = viewOf(org, thing)
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

function conflicts(org: Org, operation: Operation, body: Body, thing: Thing | undefined): string[] {
  const { kind } = operation
  switch (operation.do) {
    case 'create':
      return [
        ...takenKey(org, kind, body['external_key']),
        ...takenTags(org, (body['tags'] ?? []) as TagLike[]),
      ]
    case 'rename':
      return body['external_key'] === thing?.external_key ? [] : takenKey(org, kind, body['external_key'])
    case 'attach':
      return takenTags(org, [body as TagLike])
    case 'patch':
      return thing && makesCycle(org, thing, parentNamed(org, body)) ? [insideItself(thing)] : []
    case 'delete':
      return thing && hasChildren(org, thing)
        ? [`location ${thing.external_key} still has child locations`]
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

const insideItself = ({ external_key }: Thing) =>
  `location ${external_key} cannot be moved into itself or into a location inside it`

const makesCycle = (org: Org, thing: Thing, parentId: number | null | undefined) =>
  thing.kind === 'location' && [thing, ...descendants(org, thing)].some(({ id }) => id === parentId)

const hasChildren = (org: Org, { kind, id }: Thing) =>
  kind === 'location' &&
  org.things.some(({ parent_id, deleted_at }) => parent_id === id && deleted_at === null)
