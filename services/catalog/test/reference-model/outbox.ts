import { equal } from './differences.ts'
import { UNTOLD, viewOf, type Org, type Tag, type Thing } from './world.ts'

export type Message = { subject: string; payload: Record<string, unknown> }

/**
 * What is wrong with everything an organization's changes have put into the outbox: of each entity the revisions rise,
 * the last state is what reads say, and what was never there is not told of.
 */
export function outboxProblems(org: Org, messages: readonly Message[]): string[] {
  const bySubject = Map.groupBy(messages, ({ subject }) => subject)
  const things = org.things.map(
    (thing) => [subjectOf(org, thing.kind, thing.id), thingState(org, thing)] as const,
  )
  const tags = org.tags.map((tag) => [subjectOf(org, 'tag', tag.id), tagState(org, tag)] as const)
  const expected = new Map<string, State>([...things, ...tags])
  return [
    ...equal('subjects', [...bySubject.keys()].toSorted(), [...expected.keys()].toSorted()),
    ...[...bySubject].flatMap(([subject, told]) => entityProblems(subject, told, expected.get(subject))),
    ...org.tags.flatMap((tag) => cascadeProblems(org, tag, bySubject)),
  ]
}

const subjectOf = ({ orgId }: Org, kind: string, id: number) => `catalog.${kind}.${orgId}.${id}`

type State = Record<string, unknown> & { deleted_at: unknown }

function entityProblems(subject: string, told: readonly Message[], expected: State | undefined): string[] {
  const revisions = told.map(({ payload }) => Number(payload['revision']))
  const rising = revisions.every((revision, i) => i === 0 || revision > (revisions[i - 1] ?? Infinity))
  const { revision: _, ...last } = told.at(-1)?.payload ?? {}
  const isUntold = expected?.deleted_at === UNTOLD
  const wanted = {
    created_at: last['created_at'], // of tags no answer tells it
    ...expected,
    ...(isUntold && { deleted_at: last['deleted_at'] }),
  }
  return [
    ...(rising ? [] : [`revisions of ${subject}: ${revisions.join()}`]),
    ...(isUntold ? equal(`${subject} is deleted`, typeof last['deleted_at'], 'string') : []),
    ...equal(subject, last, wanted),
  ]
}

function thingState(org: Org, thing: Thing): State {
  const { tags: _, parent_external_key: __, ...view } = viewOf(org, thing)
  return { org_id: org.orgId, ...view } as unknown as State
}

function tagState(org: Org, { id, tag_type, value, owner, state }: Tag): State {
  const [asset_id, location_id] = owner.kind === 'asset' ? [owner.id, null] : [null, owner.id]
  const deleted_at = state === 'live' ? null : UNTOLD
  return { org_id: org.orgId, id, tag_type, value, asset_id, location_id, deleted_at }
}

/** A tag that went with its owner was deleted at the same moment. */
function cascadeProblems(
  org: Org,
  { id, state, owner }: Tag,
  told: ReadonlyMap<string, Message[]>,
): string[] {
  if (state !== 'cascaded') return []
  const deletedAt = (kind: string, of: number) =>
    told.get(subjectOf(org, kind, of))?.at(-1)?.payload['deleted_at']
  return equal(`deleted_at of tag ${id}`, deletedAt('tag', id), deletedAt(owner.kind, owner.id))
}
