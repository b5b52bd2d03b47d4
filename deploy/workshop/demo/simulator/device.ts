import type { TagType } from '@whereabouts/contracts/resources/catalog/tags'

/** One tag in front of one antenna, before it is put into a vendor's format. */
export type Sighting = {
  antenna: number
  /** The key of the location, for handhelds that know it. */
  locationKey?: string
  /** Normalized: hex in upper case, addresses without separators, barcodes unchanged. */
  tag: { type: TagType; value: string }
  rssiDbm: number
  readCount: number
  seenAt: Date
}

/** The messages of a reader. Each string is the body of one publish. */
export type Device = {
  /** Follows the format in the topic; some devices append their serial number. */
  topicSuffix?: string
  reads(sightings: readonly Sighting[]): string[]
  /** Sent after a login. */
  greeting(at: Date): string[]
  /** Sent periodically. */
  heartbeat(at: Date): string[]
  /** A damaged message, as from a bad link. */
  broken(at: Date): string
}
