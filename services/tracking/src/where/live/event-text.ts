import type { LiveMovement } from '@whereabouts/contracts/resources/tracking/live'
import { liveEvents } from '@whereabouts/contracts/resources/tracking/live'
import { seenText } from '@whereabouts/service-kit/http/event-stream'
import { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'

/** A place in the EVENTS stream. The epoch differs after the stream was re-created and its sequences start again. */
export type Cursor = { epoch: string; seq: number }

/** A short text for the instant at which the stream was created. */
export const epochOf = (created: string): string => Date.parse(created).toString(36)

/** When the stream of a cursor was created. */
export const createdMs = ({ epoch }: Pick<Cursor, 'epoch'>): number => Number.parseInt(epoch, 36)

export const idOf = ({ epoch, seq }: Cursor): string => `${seq}-${epoch}`

/** Undefined for an id that we never sent. */
export function parseId(text: string): Cursor | undefined {
  const [, seq, epoch] = /^(\d{1,15})-([0-9a-z]{1,12})$/.exec(text) ?? []
  return seq === undefined || epoch === undefined ? undefined : { epoch, seq: Number(seq) }
}

/** Throws for a payload that is not a movement of this organization. */
export function movementOf(orgId: number, payload: unknown): LiveMovement {
  const { delivery_id, org_id, occurred_at, asset, from_location, to_location } = AssetMoved.parse(payload)
  if (org_id !== orgId) throw new Error(`a movement of ${org_id} among those of ${orgId}`)
  return { delivery_id, occurred_at, asset, from_location, to_location }
}

export function movementText(cursor: Cursor, orgId: number, payload: unknown): string {
  const movement = movementOf(orgId, payload)
  return `id: ${idOf(cursor)}\nevent: ${liveEvents.moved}\ndata: ${JSON.stringify(movement)}\n\n`
}

/** With data, because a browser ignores an event without data. */
export const resetText = (cursor: Cursor): string =>
  `id: ${idOf(cursor)}\nevent: ${liveEvents.reset}\ndata: {}\n\n`

/** Not an event: says that the client has seen everything up to here, and that the connection is alive. */
export const cursorText = (cursor: Cursor): string => seenText(idOf(cursor))

/** Not an event either, and without an id: for a client that still catches up. */
export const COMMENT = ':\n\n'
