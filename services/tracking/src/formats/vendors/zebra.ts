import { type Collector, decodeItems } from '../collector.ts'
import type { DecodeContext, Decoded } from '../decoder.ts'
import { isObject, type JsonObject, objectAt } from '../json-values.ts'
import { readAntenna, readCount, readRssi, readTime } from '../read-fields.ts'
import { decodeZebraBle, isZebraBle } from './zebra-ble.ts'
import { decodeZebraManagement, isZebraManagement } from './zebra-management.ts'
import { reportUnusableMemory } from './zebra-memory.ts'
import { decodeZebraSled, isZebraSled } from './zebra-sled.ts'
import { readEpcTag } from '../tag-values.ts'
import { readRfidTag, type TagMembers } from '../rfid-tag.ts'
import { isAbsent } from '../texts.ts'

/**
 * Decodes Zebra fixed readers (IoT Connector) and RFD40/RFD90 sleds. Only the members tell the kind of a message:
 * topics are free, and `type` is the configured mode of the reader.
 */
export function decodeZebra(bytes: Uint8Array, context: DecodeContext): Decoded {
  return decodeItems(bytes, context, decodeItem)
}

function decodeItem(out: Collector, item: unknown, at: string): void {
  if (!isObject(item)) return out.report('unexpected_shape', at)
  const data = objectAt(item['data'])
  if (data['idHex'] !== undefined) return decodeTagRead(out, item, data, at)
  if (isZebraBle(item, data)) return decodeZebraBle(out, item, data, at)
  if (isZebraSled(item, data)) return decodeZebraSled(out, item, data, at)
  if (isObject(item['data']) && INVENTORY_MODES.has(item['type'])) return decodeTagRead(out, item, data, at)
  if (isZebraManagement(item)) return decodeZebraManagement(out, item, data, at)
  const isEnvelope = typeof item['type'] === 'string' && isObject(item['data'])
  out.report(isEnvelope ? 'unknown_event' : 'unexpected_shape', at)
}

/** Modes whose events are reads even without an EPC. Not DIRECTIONALITY, whose body is unknown. */
const INVENTORY_MODES = new Set<unknown>(['SIMPLE', 'CUSTOM', 'CONVEYOR', 'INVENTORY', 'PORTAL'])

const TAG: TagMembers = {
  epc: [{ name: 'idHex', read: readEpcTag }],
  tid: [{ name: 'TID', read: readEpcTag }],
}

/** Set by tag access operations; an error text if one fails. */
const MEMORY_FIELDS = ['PC', 'CRC', 'XPC', 'EPC', 'USER'] as const

function decodeTagRead(out: Collector, item: JsonObject, data: JsonObject, itemAt: string): void {
  const at = `${itemAt}/data`
  out.identify(data['MAC'])
  out.identify(data['hostName'])
  const tag = readRfidTag(out, data, at, TAG)
  if (tag === undefined) return
  reportUnusableMemory(out, data, at, MEMORY_FIELDS)
  if (isAbsent(data['antenna'])) out.noteMissingAntenna()
  out.addRead({
    antenna: readAntenna(out, data['antenna'], at, '/antenna'),
    tag_type: 'rfid',
    tag_value: tag.value,
    rssi_dbm: readRssi(out, data['peakRssi'], 1, at, '/peakRssi'),
    read_count: readCount(out, data['reads'], at, '/reads'),
    read_at_ms: readTime(out, item['timestamp'], itemAt, '/timestamp'),
    extra: { tid: tag.tid },
  })
}
