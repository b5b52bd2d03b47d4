import { equal } from './differences.ts'
import { eventProblems } from './events.ts'
import { NOT_SHOWN, viewOf, type Org, type Tag, type Resource } from './world.ts'

export type Message = { subject: string; payload: Record<string, unknown> }

/**
 * The problems of all messages of one organization. For each resource and tag, revisions rise and the last state equals
 * the world. Each change has its event, in the order of the requests unless they raced. There are no messages about
 * anything else.
 */
export function outboxProblems(org: Org, messages: readonly Message[], raced = false): string[] {
  const isEvent = ({ subject }: Message) => subject.startsWith('events.')
  const bySubject = Map.groupBy(
    messages.filter((message) => !isEvent(message)),
    ({ subject }) => subject,
  )
  const resources = org.resources.map(
    (resource) => [subjectOf(org, resource.kind, resource.id), resourceState(org, resource)] as const,
  )
  const tags = org.tags.map((tag) => [subjectOf(org, 'tag', tag.id), tagState(org, tag)] as const)
  const expected = new Map<string, State>([...resources, ...tags])
  return [
    ...equal('subjects', [...bySubject.keys()].toSorted(), [...expected.keys()].toSorted()),
    ...[...bySubject].flatMap(([subject, states]) => entityProblems(subject, states, expected.get(subject))),
    ...org.tags.flatMap((tag) => cascadeProblems(org, tag, bySubject)),
    ...eventProblems(org, messages.filter(isEvent), bySubject, raced),
  ]
}

const subjectOf = ({ orgId }: Org, kind: string, id: number) => `catalog.${kind}.${orgId}.${id}`

type State = Record<string, unknown> & { deleted_at: unknown }

function entityProblems(subject: string, states: readonly Message[], expected: State | undefined): string[] {
  const revisions = states.map(({ payload }) => Number(payload['revision']))
  const rising = revisions.every((revision, i) => i === 0 || revision > (revisions[i - 1] ?? Infinity))
  const { revision: _, ...last } = states.at(-1)?.payload ?? {}
  const isNotShown = expected?.deleted_at === NOT_SHOWN
  const wanted = {
    created_at: last['created_at'], // replies do not show it for tags
    ...expected,
    ...(isNotShown && { deleted_at: last['deleted_at'] }),
  }
  return [
    ...(rising ? [] : [`revisions of ${subject}: ${revisions.join()}`]),
    ...(isNotShown ? equal(`${subject} is deleted`, typeof last['deleted_at'], 'string') : []),
    ...equal(subject, last, wanted),
  ]
}

function resourceState(org: Org, resource: Resource): State {
  const { tags: _, parent_external_key: __, home_location_external_key: ___, ...view } = viewOf(org, resource)
  return { org_id: org.orgId, ...view } as unknown as State
}

function tagState(org: Org, { id, tag_type, value, owner, state }: Tag): State {
  const [asset_id, location_id] = owner.kind === 'asset' ? [owner.id, null] : [null, owner.id]
  const deleted_at = state === 'live' ? null : NOT_SHOWN
  return { org_id: org.orgId, id, tag_type, value, asset_id, location_id, deleted_at }
}

/** A tag deleted with its owner has the same `deleted_at`. */
function cascadeProblems(
  org: Org,
  { id, state, owner }: Tag,
  bySubject: ReadonlyMap<string, Message[]>,
): string[] {
  if (state !== 'cascaded') return []
  const deletedAt = (kind: string, of: number) =>
    bySubject.get(subjectOf(org, kind, of))?.at(-1)?.payload['deleted_at']
  return equal(`deleted_at of tag ${id}`, deletedAt('tag', id), deletedAt(owner.kind, owner.id))
}
