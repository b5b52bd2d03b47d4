import { webhookEvents, webhookEventType } from '@whereabouts/contracts/messages/webhook-events'
import { differ, equal } from './differences.ts'
import type { Message } from './outbox.ts'
import type { Event, Org } from './world.ts'

type Thing = { id: number; created_at?: string; updated_at?: string }
type Data = { asset?: Thing; location?: Thing; tag?: Thing }

/** The problems of the events of one organization: what they say, when it happened, and that each is there once. */
export function eventProblems(
  org: Org,
  messages: readonly Message[],
  states: ReadonlyMap<string, readonly Message[]>,
  raced: boolean,
): string[] {
  const sent = messages.map(({ subject, payload }) => {
    const type = webhookEventType(subject)
    if (type === undefined) throw new Error(`${subject} is no event`)
    return { type, data: payload['data'] as Event['data'] }
  })
  const inOrder = (events: readonly Event[]) => (raced ? events.toSorted(byThing) : events)
  const ids = messages.map(({ payload }) => payload['delivery_id'])
  return [
    ...equal('events', inOrder(sent), inOrder(org.events)),
    ...equal('ids of events', new Set(ids).size, ids.length),
    ...messages.flatMap((message, i) => {
      const { type, data } = sent[i]!
      const { delivery_id, occurred_at } = message.payload
      const body = { event: type, delivery_id, occurred_at, data }
      const parsed = webhookEvents[type].body.safeParse(body)
      return [
        ...equal(`subject of ${type}`, message.subject, `events.${type.replace('.', '-')}.${org.orgId}`),
        ...(parsed.success ? equal(`body of ${type}`, body, parsed.data) : differ(type, body, parsed.error)),
        ...equal(`occurred_at of ${type}`, occurred_at, instantOf(org, type, data, states)),
      ]
    }),
  ]
}

/** Changes of one thing have different `updated_at`, and a tag comes and goes once. */
const byThing = (one: Event, other: Event) => (nameOf(one) < nameOf(other) ? -1 : 1)
function nameOf({ type, data }: Event): string {
  const { asset, location, tag } = data as Data
  const thing = asset ?? location
  return [type, thing?.id, tag?.id, thing?.updated_at].join()
}

/** The instant of the change in its row. */
function instantOf(
  org: Org,
  type: Event['type'],
  data: Data,
  states: ReadonlyMap<string, readonly Message[]>,
): unknown {
  const [kind = '', what] = type.split('.')
  const thing = data[kind as keyof Data]
  if (what === 'created') return thing?.created_at
  if (what === 'updated') return thing?.updated_at
  const state = states.get(`catalog.${kind}.${org.orgId}.${thing?.id}`)?.at(-1)?.payload
  return state?.[what === 'attached' ? 'created_at' : 'deleted_at']
}
