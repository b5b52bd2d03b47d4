/** The types between a decoder and ingest. Instants are milliseconds since 1970, so that no code parses them twice. */

import type { TimeSource } from '@whereabouts/contracts/resources/tracking/readers'
import type { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'

export type TagType = 'rfid' | 'ble' | 'barcode'

export type Ibeacon = { uuid: string; major: number; minor: number; tx_power?: number | undefined }

/** An undefined member is the same as an absent one. */
export type ReadExtra = {
  tid?: string | undefined
  antenna_name?: string | undefined
  /** The device sent an impossible antenna number. The read has no scan point, although `antenna` is 1. */
  antenna_unusable?: true | undefined
  /** External key of a location. It wins over the scan point. Only from the formats `canonical` and `mapping`. */
  location?: string | undefined
  ibeacon?: Ibeacon | undefined
  address_type?: string | undefined
  name?: string | undefined
  battery_percent?: number | undefined
  battery_mv?: number | undefined
  symbology?: string | undefined
}

/** Without the reader and the time of reception, which are the same for all reads of a message. */
export type NeutralRead = {
  antenna: number
  tag_type: TagType
  /** `rfid`: upper-case hex; `ble`: 12 upper-case hex digits, or a beacon without an address as `<uuid>/<major>/<minor>`; `barcode`: as sent, without its ends. */
  tag_value: string
  rssi_dbm: number | null
  read_count: number
  /** The time of the device, uncorrected; null if it sent none. */
  read_at_ms: number | null
  extra?: ReadExtra
}

export type HealthKind =
  | 'heartbeat'
  | 'connected'
  | 'disconnected'
  | 'antenna_connected'
  | 'antenna_disconnected'
  | 'inventory_status'
  | 'inventory_terminated'
  | 'reads_lost'
  | 'alert'
  | 'gpio'
  | 'firmware_update'
  | 'user_event'
  | 'status'
  | 'clock_skew'
  | 'clock_unset'
  | 'config_gap'

/** Flat on purpose: deeply nested values of a device must not reach JSON.stringify, which recurses. */
export type HealthDetailValue = string | number | boolean | string[] | Record<string, string>
export type HealthDetail = Record<string, HealthDetailValue>

export type HealthEvent = {
  kind: HealthKind
  reader: string
  /** Null if the event has no time. */
  at_ms: number | null
  received_at_ms: number
  detail: HealthDetail
}

export type DecodeErrorCode =
  | 'malformed_json'
  | 'unexpected_shape'
  | 'unknown_event'
  | 'missing_tag'
  | 'invalid_tag'
  | 'invalid_field'
  | 'missing_field'
  | 'missing_zone'
  | 'field_conflict'

/** `frame` counts the JSON texts of the message from 0, `pointer` is an RFC 6901 pointer inside that frame. */
export type DecodeError = { code: DecodeErrorCode; frame: number; pointer: string }

/** Names of a device are compared within one kind: a device may say its address now and its host name later. */
export type IdentityKind = 'address' | 'wifi_address' | 'host_name' | 'serial_number'

export type Decoded = {
  /**
   * The name that the device sends: a MAC as 12 upper-case hex digits, any other name unchanged, null without a name.
   */
  identity: string | null
  /** Of a name that is not told from its form: an address of 12 hex digits, or otherwise a host name. */
  identity_kind?: IdentityKind
  reads: NeutralRead[]
  health: HealthEvent[]
  errors: DecodeError[]
  /** Number of errors beyond the first thousand. */
  errors_omitted: number
  /**
   * True if there were frames and none was usable: the message becomes a dead letter. The API calls it
   * `messages_buried`.
   */
  isDeadLetter: boolean
  /** Why the message was not decoded to its end: it is too large. Then it is a dead letter. */
  refusal?: string
}

export type DecodeContext = {
  /** The reader key, from the subject. */
  reader: string
  /** When the broker received the message. */
  received_at_ms: number
  /** Zone configured for this reader (IANA name or offset). Without a zone, a wall time is not an instant. */
  timezone?: string | undefined
  /** With `receipt`, no time of the device counts, so that it lacks no zone. */
  time_source?: TimeSource | undefined
  /** The levels of the topic after the format. Only format `mapping` uses them. */
  topic?: readonly string[] | undefined
  /** The mapping configured for this reader. Only format `mapping` uses it. */
  mapping?: ReaderMapping | undefined
}

/** Pure and total: no state, no clock, no I/O, and it never throws. */
export type Decoder = (bytes: Uint8Array, context: DecodeContext) => Decoded
