import type { CatalogEvent } from '@whereabouts/contracts/messages/catalog-events'
import { enqueueAll, type Queued } from '@whereabouts/db/outbox/outbox'
import type { Tx } from '../../db.ts'
import { listWithAncestors } from './ancestors.queries.ts'

/**
 * Queues the messages of a change in its transaction, after its writes. Events that concern a location also say what it
 * is in now, so that a filter needs no tree (ADR 105).
 */
export async function enqueueChanges(tx: Tx, messages: readonly Queued[]): Promise<void> {
  const places = messages.flatMap((message) => eventAt(message) ?? [])
  const [first] = places
  const ids = [...new Set(places.flatMap(({ about }) => about?.at ?? []))]
  const above = first ? await listWithAncestors(tx, first.org_id, ids) : new Map<number, number[]>()
  const complete = (message: Queued): Queued => {
    const event = eventAt(message)
    if (!event) return message
    const within = event.about?.at?.flatMap((id) => above.get(id) ?? [])
    return { ...message, payload: { ...event, about: { ...event.about, within } } }
  }
  await enqueueAll(tx, messages.map(complete))
}

function eventAt({ keep, payload }: Queued): CatalogEvent | undefined {
  const event = payload as CatalogEvent
  return keep === 'all' && event.about?.at ? event : undefined
}
