/** The shapes between a decoder and ingest. Instants are milliseconds since 1970, so that nobody parses them twice. */

import type { ReaderMapping } from '@whereabouts/contracts/reader-mapping'

export type TagType = 'rfid' | 'ble' | 'barcode'

export type Ibeacon = { uuid: string; major: number; minor: number; tx_power?: number | undefined }

/** Undefined members stand for absent ones. */
export type ReadExtra = {
  tid?: string | undefined
  antenna_name?: string | undefined
  /** The device named an antenna that cannot be one: the read is at no scan point, whatever `antenna` says. */
  antenna_unusable?: true | undefined
  /** External key of a location; it wins over the scan point. From the formats `canonical` and `mapping`. */
  location?: string | undefined
  ibeacon?: Ibeacon | undefined
  address_type?: string | undefined
  name?: string | undefined
  battery_percent?: number | undefined
  battery_mv?: number | undefined
  symbology?: string | undefined
}

export type NeutralRead = {
  reader: string
  antenna: number
  tag_type: TagType
  /** `rfid`: upper-case hex; `ble`: 12 upper-case hex digits; `barcode`: exactly as sent. */
  tag_value: string
  rssi_dbm: number | null
  read_count: number
  /** What the device says, uncorrected; null when it names no instant. */
  read_at_ms: number | null
  received_at_ms: number
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

/** Flat on purpose: what a device nested as deep as it liked must not reach JSON.stringify, which recurses. */
export type HealthDetailValue = string | number | boolean | string[] | Record<string, string>
export type HealthDetail = Record<string, HealthDetailValue>

export type HealthEvent = {
  kind: HealthKind
  reader: string
  /** Null when the event names no instant. */
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
  | 'field_conflict'

/** `frame` counts the JSON texts of the message from 0, `pointer` is an RFC 6901 pointer inside that frame. */
export type DecodeError = { code: DecodeErrorCode; frame: number; pointer: string }

export type Decoded = {
  /** What the device calls itself: a MAC as 12 upper-case hex digits, any other name as it is, else null. */
  identity: string | null
  reads: NeutralRead[]
  health: HealthEvent[]
  errors: DecodeError[]
  /** Errors beyond the first thousand, which are only counted. */
  errors_omitted: number
  /** True when there was a frame and none could be used: the message belongs in the dead letters. */
  buried: boolean
  /** Why the message was not looked at, or not to its end: it is too large. Then it is buried. */
  refusal?: string
}

export type DecodeContext = {
  /** The reader's token of the subject. */
  reader: string
  /** When the broker took the message. */
  received_at_ms: number
  /** Zone configured for this reader (IANA name or offset); wall times without one name no instant. */
  timezone?: string | undefined
  /** How the messages of this reader are read; only format `mapping` looks at it. */
  mapping?: ReaderMapping | undefined
}

/** Pure and total: no state, no clock, no I/O, and it never throws, whatever the bytes are. */
export type Decoder = (bytes: Uint8Array, context: DecodeContext) => Decoded
