import { z } from 'zod'
import { objectRule, type Problem } from '../../rules/object-rules.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { tagTypes, type TagType } from '../catalog/tags.ts'
import { addProblem, text, type FieldProblem } from '../../rules/text.ts'

const MAX_POINTER_LENGTH = 255
const MAX_EVENTS = 50
/** Of the whole mapping as JSON in UTF-8. Those stored before this limit still work. */
export const MAX_MAPPING_BYTES = 16 * 1024

const MAX_STARS = 3
const MAX_ALSO = 4

const JSON_POINTER = String.raw`(?:\/(?:[^~/]|~[01])*)*`
const READS = new RegExp(`^\\^?${JSON_POINTER}$`)
const PLACE = new RegExp(String.raw`^(?:\^?${JSON_POINTER}|\$topic/[1-9]|\$key)$`)

/**
 * Text with the names on the path to a value, each after a slash (RFC 6901); an empty text is the whole. Also
 * `^/…` from the envelope, `$topic/1` and `$key` (D16.4).
 */
const pointer = (isPointer: (value: string) => boolean, expected: string, example: string) =>
  text(0, MAX_POINTER_LENGTH)
    .check((payload) => {
      if (!isPointer(payload.value))
        addProblem(payload, { code: 'invalid_value', message: `{f} must be ${expected}` })
    })
    .meta({ override: { maxLength: MAX_POINTER_LENGTH, example } })

const Pointer = pointer(
  (value) => PLACE.test(value),
  'a JSON pointer such as /epc, a pointer from the envelope such as ^/time, $topic/1, or $key',
  '/epc',
)

const countStars = (value: string) => value.split('/').filter((name) => name === '*').length

const ReadsPointer = pointer(
  (value) => READS.test(value) && countStars(value) <= MAX_STARS,
  `a JSON pointer such as /tags or /data/*/tags, with at most ${MAX_STARS} *`,
  '/tags',
)

type EventValue = string | number | boolean

/** NUL and broken Unicode cannot be stored. */
const isEventValue = (value: unknown): value is EventValue =>
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && value.length <= 255 && value.isWellFormed() && !value.includes('\0'))

const EventValue = z
  .custom<EventValue>(isEventValue, {
    params: {
      code: 'invalid_value',
      message: '{f} must be true, false, a number, or text of at most 255 characters',
    } satisfies FieldProblem,
  })
  .meta({ override: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] } })

/** Notations of tag values. The first one is the default. */
const tagFormats = { rfid: ['hex', 'base64url'], ble: ['mac'], barcode: ['text'] } as const satisfies Record<
  TagType,
  readonly string[]
>
export type TagFormat = (typeof tagFormats)[TagType][number]

/** The format of a mapping that names none. */
export const defaultTagFormat = (type: TagType): TagFormat => tagFormats[type][0]

const allTagFormats = [...tagFormats.rfid, ...tagFormats.ble, ...tagFormats.barcode] as const
const rssiUnits = ['dBm', 'dBm/10', 'dBm/100'] as const
const timeFormats = ['iso', 'epoch', 'epoch_s', 'epoch_ms', 'epoch_us', 'local'] as const

type Sent = Partial<Record<string, unknown>>

/** Of major and minor as text. */
const numberFormats = ['decimal', 'hex'] as const

const beaconShape = {
  uuid: Pointer.optional(),
  major: Pointer.optional(),
  minor: Pointer.optional(),
  number_format: z.enum(numberFormats).optional(),
  manufacturer_data: Pointer.optional(),
}

const BEACON_EXAMPLE = { uuid: '/uuid', major: '/major', minor: '/minor' }

/** Where an item has the identity of an iBeacon (D19.3): in one text, in three members, or in the bytes of its advert. */
const Beacon = z
  .union([
    Pointer,
    z
      .strictObject(beaconShape)
      .check(objectRule<Sent>(missingParts))
      .meta({ id: 'ReaderMappingBeaconCreate', example: BEACON_EXAMPLE }),
  ])
  .meta({ example: '/id' })

function missingParts(sent: Sent): Problem[] {
  const { manufacturer_data: data, ...parts } = sent
  if (data === undefined)
    return ['uuid', 'major', 'minor']
      .filter((part) => parts[part] === undefined)
      .map((field) => ({ field, code: 'required', message: '{f} is required' }))
  const message = '{f} cannot be used together with manufacturer_data'
  return Object.keys(parts)
    .filter((field) => field in beaconShape)
    .map((field) => ({ field, code: 'ambiguous_fields', message }))
}

/** Pointers start at the item, except `reads`, `identity` and `zone`, which start at the root of the message. */
const partShape = {
  reads: ReadsPointer,
  beacon: Beacon.optional(),
  tag: Pointer.optional(),
  tag_type: z.enum(tagTypes).optional(),
  tag_format: z.enum(allTagFormats).optional(),
  antenna: Pointer.optional(),
  location: Pointer.optional(),
  count: Pointer.optional(),
  rssi: Pointer.optional(),
  rssi_unit: z.enum(rssiUnits).optional(),
  time: Pointer.optional(),
  time_format: z.enum(timeFormats).optional(),
  zone: Pointer.optional(),
  event: Pointer.optional(),
  read_events: z.array(EventValue).min(1).max(MAX_EVENTS).optional(),
  heartbeat_events: z.array(EventValue).max(MAX_EVENTS).optional(),
}

/** `given` is useless without `needed`. A mapping that reads nothing would look like a reader that receives nothing. */
const needs: readonly (readonly [given: string, needed: string])[] = [
  ['rssi_unit', 'rssi'],
  ['time_format', 'time'],
  ['zone', 'time'],
  ['time', 'time_format'],
  ['read_events', 'event'],
  ['heartbeat_events', 'event'],
  ['event', 'read_events'],
  ['tag_format', 'tag'],
]

const missingPartners = (sent: Sent): Problem[] =>
  needs
    .filter(([given, needed]) => sent[given] !== undefined && sent[needed] === undefined)
    .map(([, field]) => ({ field, code: 'required', message: '{f} is required' }))

/** An item has a beacon, a tag, or either. Without a tag, there is no type to choose: a beacon is a `ble` tag. */
function missingTag({ beacon, tag, tag_type }: Sent): Problem[] {
  const isTag = beacon === undefined || tag !== undefined || (tag_type !== undefined && tag_type !== 'ble')
  if (!isTag) return []
  return Object.entries({ tag, tag_type })
    .filter(([, sent]) => sent === undefined)
    .map(([field]) => ({ field, code: 'required', message: '{f} is required' }))
}

function unfitTagFormat({ tag_type, tag_format }: Sent): Problem[] {
  const type = tagTypes.find((known) => known === tag_type)
  const allowed: readonly string[] = type === undefined ? allTagFormats : tagFormats[type]
  if (typeof tag_format !== 'string' || allowed.includes(tag_format)) return []
  const message = `{f} must be one of: ${allowed.join(', ')}`
  return [{ field: 'tag_format', code: 'invalid_value', message, params: { allowed_values: [...allowed] } }]
}

function ambiguousEvents({ read_events, heartbeat_events }: Sent): Problem[] {
  if (!Array.isArray(read_events) || !Array.isArray(heartbeat_events)) return []
  const message = '{f} must not repeat a value of read_events'
  return heartbeat_events.some((value) => read_events.includes(value))
    ? [{ field: 'heartbeat_events', code: 'invalid_value', message }]
    : []
}

const rules = objectRule<Sent>((sent) => [
  ...missingTag(sent),
  ...missingPartners(sent),
  ...unfitTagFormat(sent),
  ...ambiguousEvents(sent),
])

type Events = { read_events?: unknown; heartbeat_events?: unknown }

/** Every replica of tracking holds all mappings in memory. */
const bounded = z.check<Events & { also?: readonly Events[] | undefined }>((payload) => {
  const parts = [payload.value, ...(payload.value.also ?? [])]
  const events = parts.flatMap(({ read_events, heartbeat_events }) =>
    [read_events ?? [], heartbeat_events ?? []].flat(),
  )
  if (events.length > MAX_EVENTS) addProblem(payload, tooLong(MAX_EVENTS, 'events in all parts together'))
  if (new TextEncoder().encode(JSON.stringify(payload.value)).length > MAX_MAPPING_BYTES)
    addProblem(payload, tooLong(MAX_MAPPING_BYTES, 'bytes as JSON'))
})

const tooLong = (max_length: number, of: string) =>
  ({
    code: 'too_long',
    message: `{f} must have at most ${max_length} ${of}`,
    params: { max_length },
  }) as const

/** One kind of tag in the messages of a reader. */
const ReaderMappingPart = z.strictObject(partShape).check(rules).meta({ id: 'ReaderMappingPartCreate' })
export type ReaderMappingPart = z.infer<typeof ReaderMappingPart>

/** How to read the messages of a reader whose format the installer defines. It is replaced whole. */
export const ReaderMapping = z
  .strictObject({
    ...partShape,
    identity: Pointer.optional(),
    also: z.array(ReaderMappingPart).max(MAX_ALSO).optional(),
  })
  .check(rules, bounded)
  .meta({ id: 'ReaderMappingCreate' })
export type ReaderMapping = z.infer<typeof ReaderMapping>

const partView = {
  ...partShape,
  beacon: z
    .union([
      z.string(),
      z
        .object({ ...beaconShape, number_format: openEnum(numberFormats).optional() })
        .meta({ id: 'ReaderMappingBeacon', example: BEACON_EXAMPLE }),
    ])
    .meta({ example: '/id' })
    .optional(),
  tag_type: openEnum(tagTypes).optional(),
  tag_format: openEnum(allTagFormats).optional(),
  rssi_unit: openEnum(rssiUnits).optional(),
  time_format: openEnum(timeFormats).optional(),
}

/** The same in a reply, which may gain members and values. */
export const ReaderMappingView = z
  .object({
    ...partView,
    identity: Pointer.optional(),
    also: z.array(z.object(partView).meta({ id: 'ReaderMappingPart' })).optional(),
  })
  .meta({ id: 'ReaderMapping' })

/** The problem of a reader with format `mapping` and without a mapping. */
export const MAPPING_REQUIRED = {
  field: 'mapping',
  code: 'required',
  message: 'mapping is required',
} as const satisfies Problem

/** A mapping with another format is allowed, because the subject of each message names its format. */
export const lacksMapping = ({ format, mapping }: { format?: unknown; mapping?: unknown }): boolean =>
  format === 'mapping' && (mapping === undefined || mapping === null)

export const mappingRule = <T>() =>
  objectRule<T>((reader) => (lacksMapping(reader) ? [MAPPING_REQUIRED] : []))
