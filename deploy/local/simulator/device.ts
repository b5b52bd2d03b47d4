import type { TagType } from '@whereabouts/contracts/tags'

/** One tag in front of one antenna, before it is put into a vendor's words. */
export type Sighting = {
  antenna: number
  /** The key of the location, for devices that know where they are carried. */
  locationKey?: string
  /** In the form tags are compared in: hex in upper case, addresses without separators, barcodes as they are. */
  tag: { type: TagType; value: string }
  rssiDbm: number
  readCount: number
  seenAt: Date
}

/** A reader as it speaks. Each string is one message, the bytes of one publish. */
export type Device = {
  /** What follows the format in its topic; some devices append their serial number. */
  topicSuffix?: string
  reads(sightings: readonly Sighting[]): string[]
  /** When it comes up. */
  greeting(at: Date): string[]
  /** Now and then, also when it sees nothing. */
  heartbeat(at: Date): string[]
  /** A message with something broken in it, such as a bad link makes. */
  broken(at: Date): string
}
