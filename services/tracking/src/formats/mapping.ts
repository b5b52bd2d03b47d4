import type { ReaderMapping } from '@whereabouts/contracts/reader-mapping'
import { Collector, decodeFrames } from './collector.ts'
import type { DecodeContext, Decoded } from './decoder.ts'
import { readPointer, valueAt, type JsonPath } from './json-pointer.ts'
import { isObject } from './json-values.ts'
import { rssiPerDbm, readMappedTag, readMappedTime, tellsWallTime } from './mapping-values.ts'
import { readAntenna, readCount, readLocation, readRssi, readZone } from './read-fields.ts'
import { isAbsent } from './texts.ts'

/**
 * Decodes devices whose body the installer configures, by the mapping of the reader. Without a mapping, the message
 * is unusable.
 */
export function decodeMapping(bytes: Uint8Array, context: DecodeContext): Decoded {
  const { mapping } = context
  if (mapping === undefined) return refuse(context)
  const paths = new Paths()
  return decodeFrames(bytes, context, (out, root) => decodeFrame({ out, root, mapping, paths }))
}

function refuse(context: DecodeContext): Decoded {
  const out = new Collector(context)
  out.startFrame()
  out.report('unexpected_shape', '')
  return out.finish()
}

/** The pointers of a mapping, each parsed once per message. */
class Paths {
  readonly #paths = new Map<string, JsonPath>()

  /** The value at the pointer of `name`; undefined if the mapping has no such pointer. */
  follow(from: unknown, pointer: string | undefined): unknown {
    if (pointer === undefined) return undefined
    let path = this.#paths.get(pointer)
    if (path === undefined) {
      path = readPointer(pointer)
      this.#paths.set(pointer, path)
    }
    return valueAt(from, path)
  }
}

type Frame = { out: Collector; root: unknown; mapping: ReaderMapping; paths: Paths }

/** A frame is one item or a list of items. Some senders write null for an empty list. */
function decodeFrame(frame: Frame): void {
  const { out, root, mapping, paths } = frame
  const found = paths.follow(root, mapping.reads)
  if (found === undefined) return out.report('unexpected_shape', '')
  const ofFrame = Array.isArray(root) ? undefined : aboutDevice(frame, root, '')
  const decode = (item: unknown, at: string) => decodeItem(frame, item, at, ofFrame)
  if (Array.isArray(found)) {
    for (const [index, item] of found.entries()) decode(item, `${mapping.reads}/${index}`)
  } else if (found !== null || mapping.reads === '') decode(found, mapping.reads)
}

/** Values that a frame has once for all its items. */
type Device = { zone: string | undefined }

/** At the root of the frame or, if that is a list, in each item. */
function aboutDevice({ out, mapping, paths }: Frame, source: unknown, at: string): Device {
  out.identify(paths.follow(source, mapping.identity))
  const { zone: pointer } = mapping
  if (pointer === undefined || !tellsWallTime(mapping)) return { zone: undefined }
  return { zone: readZone(out, paths.follow(source, pointer), at, pointer) }
}

function decodeItem(frame: Frame, item: unknown, at: string, ofFrame: Device | undefined): void {
  const { out, mapping, paths } = frame
  const tag = paths.follow(item, mapping.tag)
  // Lists and bare values are items too, if the mapping has pointers for them.
  if (!isObject(item) && isAbsent(tag)) return out.report('unexpected_shape', at)
  const { zone } = ofFrame ?? aboutDevice(frame, item, at)
  const event = paths.follow(item, mapping.event)
  if (mapping.heartbeat_events?.some((value) => value === event))
    return out.addHealth('heartbeat', readAt(frame, item, at, zone))
  if (mapping.event !== undefined && !mapping.read_events?.some((value) => value === event))
    return out.report('unknown_event', at)
  decodeRead(frame, { item, at, tag, zone })
}

type Item = { item: unknown; at: string; tag: unknown; zone: string | undefined }

function decodeRead(frame: Frame, { item, at, tag, zone }: Item): void {
  const { out, mapping, paths } = frame
  const value = readMappedTag(out, tag, mapping, at)
  if (value === undefined) return
  const { antenna = '', rssi = '', count = '', location = '' } = mapping
  const follow = (pointer: string | undefined) => paths.follow(item, pointer)
  out.addRead({
    antenna: readAntenna(out, follow(mapping.antenna), at, antenna),
    tag_type: mapping.tag_type,
    tag_value: value,
    rssi_dbm: readRssi(out, follow(mapping.rssi), rssiPerDbm(mapping), at, rssi),
    read_count: readCount(out, follow(mapping.count), at, count),
    read_at_ms: readAt(frame, item, at, zone),
    extra: { location: readLocation(out, follow(mapping.location), at, location) },
  })
}

const readAt = ({ out, mapping, paths }: Frame, item: unknown, at: string, zone: string | undefined) =>
  readMappedTime(out, paths.follow(item, mapping.time), mapping, at, zone)
