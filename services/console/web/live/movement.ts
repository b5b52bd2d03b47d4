/** `data` of an event `asset.moved`. */
export type Movement = {
  delivery_id: string
  occurred_at: string
  asset: { id: number; external_key: string; name: string }
  from_location: { id: number; name: string } | null
  to_location: { id: number; name: string }
}

export type FeedStatus = 'connecting' | 'live' | 'interrupted'

/** What a stream reports. `id` is the place in the stream up to which everything is known. */
export type FeedEvent =
  | { type: 'status'; status: FeedStatus }
  | { type: 'movement'; id: string; movement: Movement }
  /** Movements may have been missed: reload. */
  | { type: 'reset'; id: string }
  | { type: 'cursor'; id: string }
