import { assetFields } from '@whereabouts/contracts/assets'
import { namesWith, type Fields } from '@whereabouts/contracts/fields'
import { locationFields } from '@whereabouts/contracts/locations'
import { differ, equal } from './differences.ts'
import { listProblems, treeProblems } from './pages.ts'
import type { Answer, Body, Operation } from './operations.ts'
import { parentNamed, refusalOf, type Refusal } from './refusals.ts'
import {
  descendants,
  findThing,
  mintedKey,
  tagsOf,
  UNTOLD,
  viewOf,
  type Kind,
  type Org,
  type Thing,
  type View,
  type World,
} from './world.ts'

const defaultsOf = (fields: Fields) =>
  Object.fromEntries(namesWith(fields, 'default').map((name) => [name, fields[name]?.default]))

type Of<D extends Operation['do']> = Extract<Operation, { do: D }>

/**
 * Holds one answer against the world as it was, and does to the world what the request should have done. Returns what
 * is wrong with the answer.
 */
export function step(world: World, operation: Operation, answer: Answer): string[] {
  const org = world.orgs[operation.org]
  if (!org) throw new Error('no such organization')
  const refusal = refusalOf(org, operation)
  if (refusal) return refusalProblems(refusal, answer)
  switch (operation.do) {
    case 'create':
      return created(world, org, operation, answer)
    case 'get':
      return [...status(200, answer), ...shows(org, thingOf(org, operation), answer)]
    case 'patch':
      return patched(org, thingOf(org, operation), operation.body, answer)
    case 'rename':
      return renamed(world, org, thingOf(org, operation), String(operation.body['external_key']), answer)
    case 'delete':
      return deleted(org, thingOf(org, operation), answer)
    case 'attach':
      return attached(world, org, operation, answer)
    case 'detach':
      return detached(org, operation, answer)
    case 'list':
      return listProblems(org, operation, answer)
    default:
      return treeProblems(org, thingOf(org, operation), operation, answer)
  }
}

function thingOf(org: Org, { kind, id }: { kind: Kind; id: number }): Thing {
  const thing = findThing(org, kind, id)
  if (!thing) throw new Error('refusals see to what is missing')
  return thing
}

function refusalProblems(refusal: Refusal, answer: Answer): string[] {
  const { error } = answer.body
  const problems = status(refusal.status, answer)
  if (problems.length > 0) return problems
  if (refusal.status === 409)
    return refusal.details.includes(error?.detail ?? '')
      ? []
      : differ('detail', error?.detail, refusal.details)
  if (refusal.status === 404) return []
  const codes = error?.fields?.map(({ field, code }) => `${field} ${code}`) ?? []
  return equal('fields', codes.toSorted(), refusal.codes.toSorted())
}

function created(world: World, org: Org, { kind, body }: Of<'create'>, answer: Answer): string[] {
  const view = answer.body.data as View | undefined
  const problems = status(201, answer)
  if (problems.length > 0 || !view) return problems
  const now = String(view['created_at'])
  const parent_id = parentNamed(org, body) ?? null
  const { tags: wanted, parent_external_key: _, ...fields } = body
  const defaults = { ...defaultsOf(locationFields), ...defaultsOf(assetFields), valid_from: now }
  const own = { kind, id: view.id, created_at: now, updated_at: now, deleted_at: null, parent_id }
  const external_key = mintedKey(org, kind)
  org.things.push({ external_key, ...defaults, ...onTheWire(fields), ...own } as Thing)
  const tags = (wanted ?? []) as { tag_type: string; value: string }[]
  for (const [i, tag] of tags.entries()) addTag(org, { kind, id: view.id }, tag, view.tags[i])
  const ids = [view.id, ...(view.tags as View[]).map(({ id }) => id)]
  return [...newIds(world, ids), ...shows(org, thingOf(org, { kind, id: view.id }), answer)]
}

/** What is sent as it comes back: instants in UTC, cut off at the millisecond. */
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
) {
  const { id } = shown as { id: number }
  org.tags.push({ id, tag_type: tag.tag_type, value: tag.value, owner, state: 'live' })
}

/** Ids are unique across types and organizations, and safe integers. */
function newIds(world: World, ids: number[]): string[] {
  const stale = ids.filter((id) => world.ids.has(id) || !Number.isSafeInteger(id) || id < 1)
  for (const id of ids) world.ids.add(id)
  return stale.map((id) => `the id ${id} was used before`)
}

function patched(org: Org, thing: Thing, body: Body, answer: Answer): string[] {
  const { tags: _, external_key: __, parent_external_key: ___, ...changes } = body
  const parent_id = parentNamed(org, body)
  Object.assign(thing, onTheWire(changes), parent_id !== undefined && { parent_id })
  return [...status(200, answer), ...touched(thing, answer), ...shows(org, thing, answer)]
}

/** `updated_at` is later than it was, also on the wire: it is what the next PATCH is compared with. */
function touched(thing: Thing, answer: Answer): string[] {
  const before = thing.updated_at
  thing.updated_at = String((answer.body.data as View | undefined)?.['updated_at'])
  return thing.updated_at > before ? [] : [`updated_at ${before} became ${thing.updated_at}`]
}

/** The number below is that of a moment before the rename, which in a race is another one. */
function renamed({ isRacing }: World, org: Org, thing: Thing, key: string, answer: Answer): string[] {
  const advance = key === thing.external_key ? [] : touched(thing, answer)
  thing.external_key = key
  const affected = thing.kind === 'location' ? descendants(org, thing).length : 0
  const said = answer.body.descendant_count_affected
  const count = isRacing ? [] : equal('descendant_count_affected', said, affected)
  return [...status(200, answer), ...advance, ...count, ...shows(org, thing, answer)]
}

function deleted(org: Org, thing: Thing, answer: Answer): string[] {
  for (const tag of tagsOf(org, thing)) tag.state = 'cascaded'
  thing.deleted_at = UNTOLD
  return status(204, answer)
}

function attached(world: World, org: Org, { kind, id, body }: Of<'attach'>, answer: Answer): string[] {
  const problems = status(201, answer)
  if (problems.length > 0) return problems
  const shown = answer.body.data as View
  addTag(org, { kind, id }, body as { tag_type: string; value: string }, shown)
  return [...newIds(world, [shown.id]), ...equal('tag', shown, { id: shown.id, ...body })]
}

function detached(org: Org, { tagId }: Of<'detach'>, answer: Answer): string[] {
  const tag = org.tags.find(({ id }) => id === tagId)
  if (tag) tag.state = 'detached'
  return status(204, answer)
}

const shows = (org: Org, thing: Thing, answer: Answer) => equal('data', answer.body.data, viewOf(org, thing))

const status = (wanted: number, answer: Answer) => equal('status', answer.status, wanted)
