import type { LiveMovement } from '@whereabouts/contracts/live'
import { liveEvents } from '@whereabouts/contracts/live'
import { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'

/** A place in the EVENTS stream. The epoch tells the stream from an earlier one, whose numbers began again. */
export type Place = { epoch: string; seq: number }

/** When the stream was created, short. */
export const epochOf = (created: string): string => Date.parse(created).toString(36)

export const idOf = ({ epoch, seq }: Place): string => `${seq}-${epoch}`

/** Undefined for what no server of ours has sent. */
export function parseId(text: string): Place | undefined {
  const [, seq, epoch] = /^(\d{1,15})-([0-9a-z]{1,12})$/.exec(text) ?? []
  return seq === undefined || epoch === undefined ? undefined : { epoch, seq: Number(seq) }
}

/** Throws for a payload that is no movement of this organization. */
export function movementText(place: Place, orgId: number, payload: unknown): string {
  const { delivery_id, org_id, occurred_at, asset, from_location, to_location } = AssetMoved.parse(payload)
  if (org_id !== orgId) throw new Error(`a movement of ${org_id} among those of ${orgId}`)
  const movement: LiveMovement = { delivery_id, occurred_at, asset, from_location, to_location }
  return `id: ${idOf(place)}\nevent: ${liveEvents.moved}\ndata: ${JSON.stringify(movement)}\n\n`
}

/** With data, since a browser passes over an event without. */
export const resetText = (place: Place): string =>
  `id: ${idOf(place)}\nevent: ${liveEvents.reset}\ndata: {}\n\n`

/** No event: says that the client has seen everything up to here, and that the connection lives. */
export const placeText = (place: Place): string => `:\nid: ${idOf(place)}\n\n`

/** No event either, and no place: for who has yet to be given what came before. */
export const COMMENT = ':\n\n'

/** How long a client waits before it connects again; spread, so that those of a process that stops do not meet. */
export const retryText = (ms: number): string => `retry: ${Math.round(ms)}\n`
