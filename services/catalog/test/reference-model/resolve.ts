import type {
  Choice,
  CreateChoice,
  DetachChoice,
  ListChoice,
  ParentChoice,
  PatchChoice,
  Ref,
} from './choices.ts'
import type { Body, Operation, Query } from './operations.ts'
import { liveResources, NOT_SHOWN, viewOf, type Kind, type Org, type Resource, type World } from './world.ts'

/** No row has it. */
const MISSING_ID = Number.MAX_SAFE_INTEGER
const SOME_TIME = '2026-11-21T10:00:00Z'

/** The request that a choice means in this world. */
export function resolve(world: World, choice: Choice): Operation {
  const look = lookIn(world, choice.org)
  const { org } = choice
  switch (choice.do) {
    case 'create':
      return { do: 'create', org, kind: choice.kind, body: createBody(look, choice) }
    case 'list':
      return { do: 'list', org, kind: choice.kind, query: listQuery(look, choice) }
    case 'tree': {
      const { branch, query, ref } = choice
      return { do: 'tree', org, kind: 'location', branch, query, id: look.id('location', ref) }
    }
  }
  if (choice.do === 'detach') return { do: 'detach', org, ...look.tagPath(choice) }
  const target = { org, kind: choice.kind, id: look.id(choice.kind, choice.ref) }
  switch (choice.do) {
    case 'patch':
      return { do: 'patch', ...target, body: patchBody(look, choice) }
    case 'rename':
      return {
        do: 'rename',
        ...target,
        body: { external_key: choice.key ?? look.key(choice.kind, choice.ref) },
      }
    case 'attach':
      return { do: 'attach', ...target, body: choice.tag }
    default:
      return choice.do === 'get' ? { do: 'get', ...target } : { do: 'delete', ...target }
  }
}

type Look = ReturnType<typeof lookIn>

/** What is there to be named, seen from one organization. */
function lookIn(world: World, own: number) {
  const org = world.orgs[own] as Org
  const candidates = (kind: Kind, { whose }: Ref): Resource[] => {
    if (whose === 'live') return liveResources(org, kind)
    if (whose === 'any') return org.resources.filter((resource) => resource.kind === kind)
    return whose === 'missing'
      ? []
      : world.orgs.filter((other) => other !== org).flatMap((other) => liveResources(other, kind))
  }
  const find = (kind: Kind, ref: Ref) => at(candidates(kind, ref), ref.pick)
  return {
    find,
    view: (kind: Kind, ref: Ref): Body => {
      const resource = find(kind, ref)
      return resource
        ? { ...viewOf(org, resource), ...(resource.deleted_at === NOT_SHOWN && { deleted_at: SOME_TIME }) }
        : {}
    },
    id: (kind: Kind, ref: Ref) => find(kind, ref)?.id ?? MISSING_ID,
    key: (kind: Kind, ref: Ref) => find(kind, ref)?.external_key ?? 'NOWHERE',
    tagPath: ({ kind, ref, tag, state }: DetachChoice) => {
      const found = at(state === 'live' ? org.tags.filter((one) => one.state === 'live') : org.tags, tag)
      const owner =
        found && !ref ? found.owner : { kind, id: ref ? (find(kind, ref)?.id ?? MISSING_ID) : MISSING_ID }
      return { ...owner, tagId: found?.id ?? MISSING_ID }
    },
  }
}

const at = <T>(list: readonly T[], pick: number): T | undefined => list[pick % list.length]

function createBody(look: Look, { kind, name, key, tags, parent, shared, asset, wrong }: CreateChoice): Body {
  return {
    name,
    ...(key !== undefined && { external_key: key }),
    ...(tags && { tags }),
    ...shared,
    ...(kind === 'asset' ? asset : parentFields(look, parent)),
    ...wrong,
  }
}

function parentFields(look: Look, parent: ParentChoice | undefined): Body {
  if (!parent || (parent.ref.whose === 'live' && !look.find('location', parent.ref))) return {}
  const [id, key] = [look.id('location', parent.ref), look.key('location', parent.ref)]
  const bodies: Record<string, Body> = {
    id: { parent_id: id },
    key: { parent_external_key: key },
    both: { parent_id: id, parent_external_key: key },
    differ: { parent_id: id, parent_external_key: look.key('location', parent.other) },
    null: { parent_id: null },
    nullKey: { parent_external_key: null },
    nulls: { parent_id: null, parent_external_key: null },
    half: { parent_id: null, parent_external_key: key },
  }
  return bodies[parent.as] ?? {}
}

function patchBody(look: Look, choice: PatchChoice): Body {
  const { kind, ref, name, parent, shared, asset, echo, alter, wrong } = choice
  const view = look.view(kind, ref)
  const read = echo.includes('*') ? view : pick(view, echo)
  return {
    ...read,
    ...(name !== undefined && { name }),
    ...shared,
    ...(kind === 'asset' ? asset : parentFields(look, parent)),
    ...altered(pick(view, alter)),
    ...wrong,
  }
}

const pick = (view: Body, fields: readonly string[]): Body =>
  Object.fromEntries(Object.entries(view).filter(([field]) => fields.includes(field)))

/** Each read-only field as it is not. */
function altered(fields: Body): Body {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, otherThan(field, value)]))
}

function otherThan(field: string, value: unknown): unknown {
  if (field === 'id') return Number(value) - 1
  if (field === 'external_key') return `${String(value)}-2`
  if (field === 'tags') return [...(value as unknown[]).slice(1), { id: 1, tag_type: 'rfid', value: 'other' }]
  return value === null ? SOME_TIME : new Date(Date.parse(value as string) - 1).toISOString()
}

function listQuery(look: Look, { kind, query, filters, type, parents }: ListChoice): Query {
  const shared = { ...query, ...filters }
  if (kind === 'asset') return { ...shared, ...(type && { type }) }
  if (!parents) return shared
  const { by, refs } = parents
  return by === 'id'
    ? { ...shared, parent_id: refs.map((ref) => look.id('location', ref)) }
    : { ...shared, parent_external_key: refs.map((ref) => look.key('location', ref)) }
}
