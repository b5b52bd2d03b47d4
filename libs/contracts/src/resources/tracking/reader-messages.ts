import { z } from 'zod'
import { WireInstant } from '../../rules/instant.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { dataOf, pathId } from '../../rules/query.ts'
import { ReaderMapping } from './reader-mapping.ts'
import { readerFormats } from './readers.ts'
import { EVENT_STREAM_MEDIA_TYPE, type Route } from '../../route.ts'
import { tagTypes } from '../catalog/tags.ts'
import { text } from '../../rules/text.ts'
import { Id } from '../../rules/ids.ts'

/** Messages with a problem that are kept of each reader. */
export const KEPT_MESSAGES = 20
/** Reads that `decodeReaderMessage` returns. */
export const DECODED_READS = 1_000

const Problem = z
  .object({
    /** RFC 6901; empty for the whole message. */
    pointer: z.string().meta({ example: '/reads/0/tag' }),
    code: z.string().meta({ example: 'missing_tag' }),
    detail: z.string().meta({ example: 'There is no tag here, so the read is ignored.' }),
  })
  .meta({ id: 'ReaderMessageProblem' })
export type ReaderMessageProblem = z.infer<typeof Problem>

export const ReaderMessageView = z
  .object({
    id: Id,
    received_at: WireInstant,
    /** `broker`: over NATS or MQTT. The broker reports only that a device used the key. */
    via: openEnum(['nats', 'mqtt', 'https', 'broker']),
    subject: z.string().meta({ example: 'scans.42.dock-1.canonical' }),
    /** Bytes of the whole message. */
    size: z.int(),
    /** The first 8 KiB as text; control characters are made visible. */
    head: z.string().meta({ example: '{"reads":[{}]}' }),
    problems: z.array(Problem),
  })
  .meta({ id: 'ReaderMessage' })
export type ReaderMessageView = z.infer<typeof ReaderMessageView>

/**
 * What becomes of a read. `scan`: a row of history. `no_location`: one without a location, because the antenna has a scan
 * point without one. The others are no rows: nothing has the tag, the antenna has no scan point, no location has the key,
 * or the read is weaker than the minimum of its scan point or organization (D18.7).
 */
export const readOutcomes = [
  'scan',
  'no_location',
  'unknown_tag',
  'no_scan_point',
  'unknown_location',
  'too_weak',
] as const

const Named = z
  .object({ id: Id, external_key: z.string(), name: z.string() })
  .meta({ id: 'ReadOwner' })
  .nullable()
const Tag = z
  .object({ tag_type: openEnum(tagTypes), value: z.string().meta({ example: 'E28011606000020A1B2C3D4E' }) })
  .meta({ id: 'ReadTag' })

export const DecodedRead = z
  .object({
    tag: Tag,
    /** Of a Bluetooth tag that sent one: `<uuid>/<major>/<minor>`, by which it is found too. */
    ibeacon: z.string().optional(),
    /** Null for one that cannot be. */
    antenna: z.int().nullable(),
    location_key: z.string().nullable(),
    /** As the device says; null if it does not say. */
    read_at: WireInstant.nullable(),
    rssi: z.number().nullable(),
    asset: Named,
    location: Named,
    outcome: openEnum(readOutcomes),
  })
  .meta({
    id: 'DecodedRead',
    example: {
      tag: { tag_type: 'rfid', value: 'E28011606000020A1B2C3D4E' },
      antenna: 1,
      location_key: null,
      read_at: '2026-11-21T10:00:00.000Z',
      rssi: -52,
      asset: { id: 4503599627370497, external_key: 'PUMP-17', name: 'Pump 17' },
      location: { id: 4503599627370499, external_key: 'DOCK-1', name: 'Dock 1' },
      outcome: 'scan',
    },
  })
export type DecodedRead = z.infer<typeof DecodedRead>

/** What would become of a message. */
export const DecodedMessage = z
  .object({ reads: z.array(DecodedRead), problems: z.array(Problem) })
  .meta({ id: 'DecodedMessage' })
export type DecodedMessage = z.infer<typeof DecodedMessage>

/** Names of the events of `streamReads`, and their data. `omitted` counts what was not shown because too much came. */
export const readEvents = { read: 'read', problem: 'problem', omitted: 'omitted' } as const
type Heard = Pick<ReaderMessageView, 'received_at' | 'via'>
export type LiveRead = Heard & DecodedRead
export type LiveProblem = Heard & Pick<ReaderMessageView, 'problems'>
/** Reads of messages that were decoded, and messages that were not even decoded. */
export type OmittedReads = { reads: number; messages: number }

/** Format and mapping default to those of the reader. */
export const DecodeRequest = z
  .strictObject({
    message: z.unknown().refine((message) => message !== undefined),
    format: z.enum(readerFormats).optional(),
    mapping: ReaderMapping.nullable().optional(),
    /** Levels of the topic after the format, with slashes between them. */
    topic: text(0, 255).optional(),
  })
  .meta({
    id: 'DecodeRequest',
    example: { message: { reads: [{ tag: { type: 'rfid', value: 'E28011606000020A1B2C3D4E' } }] } },
  })
export type DecodeRequest = z.infer<typeof DecodeRequest>

const ReaderPath = z.strictObject({ reader_id: pathId })
const forUsers = { upstream: 'tracking', access: 'session', counted: false, described: false } as const

export const readerMessageRoutes = {
  listReaderMessages: {
    method: 'GET',
    path: '/readers/{reader_id}/messages',
    ...forUsers,
    summary: 'List the last messages of a reader that were not understood, or only in part',
    params: ReaderPath,
    success: { status: 200, schema: dataOf(z.array(ReaderMessageView)) },
    errors: ['validation_error', 'not_found'],
  },
  streamReads: {
    method: 'GET',
    path: '/readers/{reader_id}/reads',
    ...forUsers,
    summary: 'Stream what a reader sends, as server-sent events',
    description:
      'Shows the messages of a reader as they come, also those that are dropped because the rate is exceeded. ' +
      'A `read` event is a read and what becomes of it, a `problem` event says what was not understood, and an ' +
      '`omitted` event counts what came too fast to be shown. Nothing is repeated after an interruption. The ' +
      'stream ends with the session, at the latest when the token expires. Connect again then.',
    params: ReaderPath,
    success: { status: 200, download: EVENT_STREAM_MEDIA_TYPE },
    errors: ['validation_error', 'not_found', 'rate_limited'],
  },
  decodeReaderMessage: {
    method: 'POST',
    path: '/readers/{reader_id}/decode',
    ...forUsers,
    role: 'viewer',
    summary: 'Decode a message as one of a reader, without storing anything',
    description: `Returns at most ${DECODED_READS} reads.`,
    params: ReaderPath,
    body: DecodeRequest,
    success: {
      status: 200,
      schema: dataOf(DecodedMessage),
    },
    errors: ['validation_error', 'bad_request', 'not_found', 'rate_limited'],
  },
} as const satisfies Record<string, Route>
