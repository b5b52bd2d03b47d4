import { beaconText } from '@whereabouts/contracts/resources/catalog/beacons'
import type {
  ReaderMapping,
  ReaderMappingPart,
} from '@whereabouts/contracts/resources/tracking/reader-mapping'
import { Collector, decodeFrames } from '../collector.ts'
import type { DecodeContext, Decoded, DecodeErrorCode } from '../decoder.ts'
import { isObject } from '../json-values.ts'
import { beaconFinder, type FoundBeacon } from './mapping-beacons.ts'
import {
  fieldAt,
  readPlace,
  readReads,
  visitItems,
  type Field,
  type Origin,
  type Place,
  type ReadsPath,
} from './mapping-pointers.ts'
import { rssiPerDbm, readMappedTag, readMappedTime, tellsWallTime } from './mapping-values.ts'
import { readAntenna, readCount, readLocation, readRssi, readZone } from '../read-fields.ts'
import { isAbsent } from '../texts.ts'

/**
 * Decodes devices whose body the installer configures, by the mapping of the reader. Without a mapping, the message
 * is unusable.
 */
export function decodeMapping(bytes: Uint8Array, context: DecodeContext): Decoded {
  const { mapping } = context
  if (mapping === undefined) return refuse(context)
  const parsed = parseMapping(mapping)
  return decodeFrames(bytes, context, (out, root) => decodeFrame({ ...parsed, out, root, zones: new Map() }))
}

function refuse(context: DecodeContext): Decoded {
  const out = new Collector(context)
  out.startFrame()
  out.report('unexpected_shape', '')
  return out.finish()
}

/** Places are undefined where the mapping has no pointer. */
type Part = Record<'tag' | 'antenna' | 'location' | 'count' | 'rssi' | 'time' | 'zone' | 'event', Place | undefined> & {
  mapping: ReaderMappingPart
  /** Sets, because a message has many items. Undefined: none is named. */
  heartbeats: ReadonlySet<unknown> | undefined
  reads: ReadonlySet<unknown> | undefined
  findBeacon: ReturnType<typeof beaconFinder>
} // oxfmt-ignore

/** The parts that read the same items. */
type Group = { reads: string; path: ReadsPath; parts: Part[] }

type Parsed = {
  identity: Place | undefined
  groups: Group[]
  /** All values that a part names. */
  events: ReadonlySet<unknown>
  /** The pointers that led nowhere so far. */
  missing: Set<string>
}

/** Once per message. */
function parseMapping({ also = [], identity, ...first }: ReaderMapping): Parsed {
  const mappings = [first, ...also]
  const groups = new Map<string, Group>()
  for (const mapping of mappings) {
    const { reads } = mapping
    const group = groups.get(reads) ?? { reads, path: readReads(reads), parts: [] }
    group.parts.push(parsePart(mapping))
    groups.set(reads, group)
  }
  return {
    identity: placeOf(identity),
    groups: [...groups.values()],
    events: new Set(
      mappings.flatMap(({ read_events = [], heartbeat_events = [] }) => read_events.concat(heartbeat_events)),
    ),
    missing: new Set(),
  }
}

const parsePart = (mapping: ReaderMappingPart): Part => ({
  mapping,
  heartbeats: mapping.heartbeat_events && new Set(mapping.heartbeat_events),
  reads: mapping.read_events && new Set(mapping.read_events),
  findBeacon: beaconFinder(mapping),
  tag: placeOf(mapping.tag),
  antenna: placeOf(mapping.antenna),
  location: placeOf(mapping.location),
  count: placeOf(mapping.count),
  rssi: placeOf(mapping.rssi),
  time: placeOf(mapping.time),
  // A zone next to a number is not read.
  zone: tellsWallTime(mapping) ? placeOf(mapping.zone) : undefined,
  event: placeOf(mapping.event),
})

const placeOf = (pointer: string | undefined) => (pointer === undefined ? undefined : readPlace(pointer))

type Frame = Parsed & {
  out: Collector
  root: unknown
  /** A frame has its zone once for all its items, unless its root is a list. */
  zones: Map<Part, string | undefined>
}

/** A frame without the items of any part is not of this device. */
function decodeFrame(frame: Frame): void {
  const { out, root, groups } = frame
  const nowhere = groups.filter((group) => !decodeGroup(frame, group))
  if (nowhere.length === groups.length) return out.report('unexpected_shape', '')
  for (const { reads } of nowhere) noteMissing(frame, reads, reads.replace(/^\^/, ''))
  if (!Array.isArray(root)) identify(frame, originOf(frame, root, '', undefined))
}

const originOf = ({ out, root }: Frame, item: unknown, at: string, key: string | undefined): Origin => ({
  item,
  root,
  topic: out.context.topic ?? [],
  key,
  at,
})

const identify = (frame: Frame, origin: Origin) =>
  frame.out.identify(follow(frame, frame.identity, origin).value)

function decodeGroup(frame: Frame, { path, parts }: Group): boolean {
  const { out, root } = frame
  return visitItems(root, path, {
    visit: (item, at, key) => decodeItem(frame, parts, originOf(frame, item, at, key)),
    leadsNowhere: (at) => out.report('unexpected_shape', at),
  })
}

/** An item that no part takes is reported once. */
function decodeItem(frame: Frame, parts: Part[], origin: Origin): void {
  const refusals = parts.map((part) => decodePart(frame, part, origin))
  const [refusal] = refusals
  if (refusal !== undefined && !refusals.includes(undefined)) frame.out.report(refusal, origin.at)
}

const NO_FIELD: Field = { value: undefined, at: '', pointer: '' }

/** The value of a field. A pointer that leads nowhere is reported once a message, at the first read that lacks it. */
function follow(frame: Frame, place: Place | undefined, origin: Origin): Field {
  if (place === undefined) return NO_FIELD
  const field = fieldAt(place, origin)
  if (field.value === undefined) noteMissing(frame, place.start + field.pointer, field.at + field.pointer)
  return field
}

function noteMissing({ out, missing }: Frame, name: string, at: string): void {
  if (missing.has(name)) return
  missing.add(name)
  out.report('missing_field', at)
}

/** Why the part does not take the item; undefined if it does. */
function decodePart(frame: Frame, part: Part, origin: Origin): DecodeErrorCode | undefined {
  const { out, root, events } = frame
  const tag = part.tag && fieldAt(part.tag, origin)
  const beacon = part.findBeacon?.(origin)
  // Lists and bare values are items too, if the mapping has pointers for them.
  if (!isObject(origin.item) && isNothing(tag, beacon)) return 'unexpected_shape'
  if (frame.identity !== undefined && Array.isArray(root)) identify(frame, origin)
  const event = part.event && fieldAt(part.event, origin).value
  if (part.heartbeats?.has(event)) {
    out.addHealth('heartbeat', readAt(frame, part, origin))
    return undefined
  }
  if (part.event && !part.reads?.has(event)) return events.has(event) ? undefined : 'unknown_event'
  if (isNothing(tag, beacon)) return 'missing_tag'
  decodeRead(frame, part, origin, tag, beacon)
  return undefined
}

const isNothing = (tag: Field | undefined, found: FoundBeacon | undefined) =>
  isAbsent(tag?.value) && found?.beacon === undefined && found?.wrong === undefined

/** The beacon is the tag of an item without another one, whose address or id is looked up first (D6.5). */
function decodeRead(
  frame: Frame,
  part: Part,
  origin: Origin,
  tag: Field | undefined,
  found: FoundBeacon | undefined,
): void {
  const { out } = frame
  const { mapping } = part
  if (found?.wrong !== undefined) out.report('invalid_field', found.wrong)
  const beacon = found?.beacon
  const value = tag === undefined || isAbsent(tag.value) ? undefined : readMappedTag(out, tag, mapping)
  if (value === undefined && beacon === undefined) return
  const antenna = follow(frame, part.antenna, origin)
  const rssi = follow(frame, part.rssi, origin)
  const count = follow(frame, part.count, origin)
  const location = follow(frame, part.location, origin)
  out.addRead({
    antenna: readAntenna(out, antenna.value, antenna.at, antenna.pointer),
    tag_type: value === undefined ? 'ble' : (mapping.tag_type ?? 'ble'),
    tag_value: value ?? (beacon ? beaconText(beacon) : ''),
    rssi_dbm: readRssi(out, rssi.value, rssiPerDbm(mapping), rssi.at, rssi.pointer),
    read_count: readCount(out, count.value, count.at, count.pointer),
    read_at_ms: readAt(frame, part, origin),
    extra: {
      ibeacon: value === undefined ? undefined : beacon,
      location: readLocation(out, location.value, location.at, location.pointer),
    },
  })
}

function readAt(frame: Frame, part: Part, origin: Origin): number | null {
  const time = follow(frame, part.time, origin)
  return readMappedTime(frame.out, time, part.mapping, zoneOf(frame, part, origin))
}

/** The zone starts at the root of the frame or, if that is a list, at the item. */
function zoneOf(frame: Frame, part: Part, origin: Origin): string | undefined {
  if (part.zone === undefined) return undefined
  if (Array.isArray(frame.root)) return readZoneAt(frame, part.zone, origin)
  if (!frame.zones.has(part))
    frame.zones.set(part, readZoneAt(frame, part.zone, { ...origin, item: frame.root, at: '' }))
  return frame.zones.get(part)
}

function readZoneAt(frame: Frame, place: Place, origin: Origin): string | undefined {
  const { value, at, pointer } = follow(frame, place, origin)
  return readZone(frame.out, value, at, pointer)
}
