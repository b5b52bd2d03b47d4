import type { ReaderMessageProblem } from '@whereabouts/contracts/resources/tracking/reader-messages'
import type { IncomingMessage } from '@whereabouts/messaging/messages/delivery'
import type { DecodeError } from '../../formats/decoder.ts'
import { visibleText } from './message-head.ts'

/** A message with a problem, to be shown to users. Keeps its first bytes only. */
export type ProblemMessage = {
  receivedAtMs: number
  via: 'nats' | 'mqtt' | 'https'
  subject: string
  size: number
  head: Uint8Array
  problems: ReaderMessageProblem[]
}

/** Bytes of a message that are kept. */
export const KEPT_BYTES = 8 * 1024
const MAX_PROBLEMS = 20

/** `VIA_HEADER: https` marks a message that tracking publishes for a device. */
export const VIA_HEADER = 'wb-via'
/** With it, nats-server marks messages of MQTT clients. */
const MQTT_HEADER = 'nmqtt-pub'

export type Received = Pick<IncomingMessage, 'subject' | 'data' | 'receivedAt' | 'headers'>

export const problemMessage = (
  { subject, data, receivedAt, headers }: Received,
  problems: readonly ReaderMessageProblem[],
): ProblemMessage => ({
  receivedAtMs: receivedAt,
  via: headers[VIA_HEADER] === 'https' ? 'https' : MQTT_HEADER in headers ? 'mqtt' : 'nats',
  subject: visibleText(subject.slice(0, 255)),
  size: data.length,
  head: Buffer.from(data.subarray(0, KEPT_BYTES)), // a copy: the rest may be 256 KiB
  problems: problems.slice(0, MAX_PROBLEMS),
})

/** What is wrong at a place of a message, and what to do about it. */
const DETAILS: Record<DecodeError['code'], string> = {
  malformed_json: 'This is not JSON, or it is cut off.',
  unexpected_shape:
    'The format does not have this here. Check that the topic names the format that the device sends.',
  unknown_event: 'This kind of event is not known, so it is ignored.',
  missing_tag:
    'There is no tag here, so the read is ignored. Switch on the tag in the settings of the device.',
  invalid_tag: 'This is not a tag value of its kind, so the read is ignored.',
  invalid_field: 'This value cannot be used. The read is kept without it.',
  missing_field:
    'A pointer of the mapping leads nowhere here. The read is kept without it. Correct the pointer, or let the device send null.',
  missing_zone:
    'This time names no time zone, so the time of receipt counts. Set the time zone of the reader.',
  field_conflict: 'Two fields say different things. The read is kept with the first one.',
}

/** Names of a hostile message may be long or have characters that cannot be stored. */
export const shownPointer = (pointer: string): string => visibleText(pointer.slice(0, 255))

export const problemsOf = (errors: readonly DecodeError[]): ReaderMessageProblem[] =>
  errors.slice(0, MAX_PROBLEMS).map(({ code, frame, pointer }) => ({
    pointer: shownPointer(pointer),
    code,
    detail: frame === 0 ? DETAILS[code] : `In JSON text ${frame + 1} of the message: ${DETAILS[code]}`,
  }))

export const unknownLocation = (key: string): ReaderMessageProblem => ({
  pointer: '',
  code: 'unknown_location',
  detail: `No location has the key "${key.slice(0, 64)}". Create it, or correct the key in the settings of the device.`,
})

/** For an antenna whose location was deleted. `name` is that of the location. */
export const deletedLocation = (antenna: number, name: string): ReaderMessageProblem => ({
  pointer: '',
  code: 'deleted_location',
  detail: `Antenna ${antenna} is assigned to ${shownLocation(name)}, which is deleted, so its reads move nothing. Restore the location, or give the antenna another one.`,
})

/** For reads of an antenna that has no scan point. */
export const unknownAntenna = (antenna: number): ReaderMessageProblem => ({
  pointer: '',
  code: 'unknown_antenna',
  detail: `Antenna ${antenna} has no scan point, so its reads have no location. Add a scan point, or correct the antenna in the settings of the device.`,
})

/** For a read whose time its clock gave wrong. */
export const wrongClock = (readAtMs: number, receivedAtMs: number): ReaderMessageProblem => ({
  pointer: '',
  code: 'wrong_clock',
  detail: `The time ${new Date(readAtMs).toISOString()} is ${spanOf(Math.abs(readAtMs - receivedAtMs))} ${readAtMs > receivedAtMs ? 'ahead' : 'old'}, so the time of receipt counts. Set the clock of the device, or the time zone of the reader.`,
})

const HOUR_MS = 3_600_000
const spanOf = (ms: number): string =>
  ms < HOUR_MS ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / HOUR_MS)} h`

/**
 * For a reader of whose key the broker reports more than arrived here. It drops messages with another topic than the key may
 * publish, and acknowledges them over MQTT.
 */
export const nothingArrived = (orgId: number, readerKey: string): ReaderMessageProblem => ({
  pointer: '',
  code: 'nothing_arrived',
  detail: `A device uses the key of this reader over MQTT or NATS, and nothing has arrived. If it sends, its topic is wrong: the broker drops such messages, and over MQTT the device shows no error. The topic has to begin with scans/${orgId}/${readerKey}/ and the format, without a slash before it (NATS: scans.${orgId}.${readerKey}. and the format).`,
})

/** A name may be long, and PostgreSQL cannot store every character. */
const shownLocation = (name: string): string => `"${visibleText(name.slice(0, 64))}"`

/** For a message that was refused as a whole. `reason` as in the status of the reader. */
export const refusal = (reason: string): ReaderMessageProblem => ({
  pointer: '',
  code: 'refused',
  detail: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
})
