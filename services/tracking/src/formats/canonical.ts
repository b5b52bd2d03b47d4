import { MAX_CANONICAL_READS } from '@whereabouts/contracts/description/scan-message'
import { type Collector, decodeFrames } from './collector.ts'
import type { DecodeContext, Decoded, ReadExtra, TagType } from './decoder.ts'
import { isObject } from './json-values.ts'
import { readAntenna, readCount, readLocation, readRssi, readTime } from './read-fields.ts'
import { readBarcode, readBleTag, readEpcTag } from './tag-values.ts'
import { isAbsent } from './texts.ts'

/**
 * Decodes our own format, `{reads: [{tag: {type, value}, antenna?, location?, read_at?, rssi_dbm?, read_count?}]}`. A message
 * beyond its limit is refused as a whole and not half used, so that its sender notices at once.
 */
export function decodeCanonical(bytes: Uint8Array, context: DecodeContext): Decoded {
  return decodeFrames(bytes, context, decodeFrame, MAX_CANONICAL_READS)
}

function decodeFrame(out: Collector, frame: unknown): void {
  const reads = isObject(frame) ? frame['reads'] : undefined
  if (!Array.isArray(reads) || reads.length === 0) return out.report('unexpected_shape', '')
  out.announce(reads.length)
  for (const [index, item] of reads.entries()) decodeRead(out, item, `/reads/${index}`)
}

function decodeRead(out: Collector, item: unknown, at: string): void {
  if (!isObject(item)) return out.report('unexpected_shape', at)
  const tag = readTag(out, item['tag'], at)
  if (tag === undefined) return
  out.addRead({
    antenna: readAntenna(out, item['antenna'], at, '/antenna'),
    tag_type: tag.type,
    tag_value: tag.value,
    rssi_dbm: readRssi(out, item['rssi_dbm'], 1, at, '/rssi_dbm'),
    read_count: readCount(out, item['read_count'], at, '/read_count'),
    read_at_ms: readTime(out, item['read_at'], at, '/read_at'),
    extra: readExtra(out, item['location'], at),
  })
}

function readExtra(out: Collector, location: unknown, at: string): ReadExtra | undefined {
  const key = readLocation(out, location, at, '/location')
  return key === undefined ? undefined : { location: key }
}

function readTag(out: Collector, tag: unknown, at: string): { type: TagType; value: string } | undefined {
  if (isAbsent(tag)) return out.report('missing_tag', at)
  if (!isObject(tag)) return out.report('invalid_tag', `${at}/tag`)
  const type = tag['type']
  if (type !== 'rfid' && type !== 'ble' && type !== 'barcode')
    return out.report('invalid_tag', `${at}/tag/type`)
  if (isAbsent(tag['value'])) return out.report('missing_tag', at)
  const value = readValue[type](tag['value'])
  return value === undefined ? out.report('invalid_tag', `${at}/tag/value`) : { type, value }
}

const readValue: Record<TagType, (value: unknown) => string | undefined> = {
  rfid: readEpcTag,
  ble: readBleTag,
  barcode: readBarcode,
}
