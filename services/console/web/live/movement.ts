/** `data` of an event `asset.moved`. */
export type Movement = {
  delivery_id: string
  occurred_at: string
  asset: { id: number; external_key: string; name: string }
  from_location: { id: number; name: string } | null
  to_location: { id: number; name: string }
}

export type FeedStatus = 'connecting' | 'live' | 'interrupted'
