import type { Collector } from '../collector.ts'
import { isObject, type JsonObject, objectAt, readNumber } from '../json-values.ts'
import { readCount, readEpochTime, readRssi, readTime } from '../read-fields.ts'
import { readBarcode, readEpcTag } from '../tag-values.ts'
import { readRfidTag, type TagMembers } from '../rfid-tag.ts'
import { isAbsent, readText } from '../texts.ts'
import { reportUnusableMemory } from './zebra-memory.ts'

type SledDecoder = (out: Collector, item: JsonObject, data: JsonObject, at: string) => void

/** True for an item of an RFD40 or RFD90. Their events do not name their kind and differ only in their members. */
export function isZebraSled(item: JsonObject, data: JsonObject): boolean {
  return findDecoder(item, data) !== undefined
}

/**
 * Decodes an item for which `isZebraSled` is true. A sled has one antenna and never names it, so a missing one is not
 * reported.
 */
export function decodeZebraSled(out: Collector, item: JsonObject, data: JsonObject, at: string): void {
  findDecoder(item, data)?.(out, item, data, at)
}

function findDecoder(item: JsonObject, data: JsonObject): SledDecoder | undefined {
  if (data['tagData'] !== undefined || data['barcodeData'] !== undefined) return decodeReads
  if (item['eventName'] !== undefined) return decodeNamedEvent
  if (item['connectionState'] !== undefined) return decodeConnection
  const isAlert = !isAbsent(item['id']) && !isAbsent(item['state']) && !isAbsent(item['priority'])
  return isAlert ? decodeAlert : undefined
}

function decodeReads(out: Collector, item: JsonObject, data: JsonObject, at: string): void {
  // Read at most once for all records, so that an unusable one is one error.
  let sentAtMs: number | null | undefined
  const sentAt = () => {
    if (sentAtMs === undefined) sentAtMs = readTime(out, item['timestamp'], at, '/timestamp')
    return sentAtMs
  }
  eachRecord(out, data['tagData'], `${at}/data/tagData`, (record, recordAt) =>
    decodeTag(out, record, recordAt, sentAt),
  )
  eachRecord(out, data['barcodeData'], `${at}/data/barcodeData`, (record, recordAt) =>
    decodeBarcode(out, record, recordAt, sentAt),
  )
}

function eachRecord(
  out: Collector,
  records: unknown,
  at: string,
  decode: (record: JsonObject, at: string) => void,
): void {
  if (isAbsent(records)) return
  if (!Array.isArray(records)) return out.report('unexpected_shape', at)
  for (const [index, record] of records.entries()) {
    if (isObject(record)) decode(record, `${at}/${index}`)
    else out.report('unexpected_shape', `${at}/${index}`)
  }
}

const TID = [{ name: 'TID', read: readEpcTag }]
const BY_ID: TagMembers = { epc: [{ name: 'EPCid', read: readEpcTag }], tid: TID }
const BY_MEMORY: TagMembers = { epc: [{ name: 'EPC', read: readEpcTag }], tid: TID }
const MEMORY_FIELDS = ['RESERVED', 'PC', 'CRC', 'XPC', 'USER']

function decodeTag(out: Collector, record: JsonObject, at: string, sentAt: () => number | null): void {
  out.identify(record['MAC'])
  out.identify(record['HOSTNAME'])
  const hasId = !isAbsent(record['EPCid'])
  const tag = readRfidTag(out, record, at, hasId ? BY_ID : BY_MEMORY)
  if (tag === undefined) return
  reportUnusableMemory(out, record, at, MEMORY_FIELDS)
  if (hasId) reportUnusableMemory(out, record, at, ['EPC'])
  out.addRead({
    antenna: 1,
    tag_type: 'rfid',
    tag_value: tag.value,
    rssi_dbm: readRssi(out, record['peakRssi'], 1, at, '/peakRssi'),
    read_count: readCount(out, record['seenCount'], at, '/seenCount'),
    read_at_ms: readEpochTime(out, record['lastSeenTime'], 'ms', at, '/lastSeenTime') ?? sentAt(),
    extra: { tid: tag.tid },
  })
}

function decodeBarcode(out: Collector, record: JsonObject, at: string, sentAt: () => number | null): void {
  if (isAbsent(record['decodedBarcode'])) return out.report('missing_tag', at)
  const value = readBarcode(record['decodedBarcode'])
  if (value === undefined) return out.report('invalid_tag', `${at}/decodedBarcode`)
  out.addRead({
    antenna: 1,
    tag_type: 'barcode',
    tag_value: value,
    rssi_dbm: null,
    read_count: 1,
    read_at_ms: sentAt(),
    extra: { symbology: readText(record['symbology']) },
  })
}

function decodeNamedEvent(out: Collector, item: JsonObject, data: JsonObject, at: string): void {
  if (item['eventName'] !== 'heartbeat') return out.report('unknown_event', at)
  const rfidStatus = readText(objectAt(data['inventoryStatus'])['rfidStatus'])
  out.addHealth('heartbeat', readTime(out, item['timestamp'], at, '/timestamp'), {
    battery_percent: readNumber(objectAt(data['batteryAlert'])['chargePercentage']),
    radio_active: rfidStatus === undefined ? undefined : rfidStatus === 'INPROGRESS',
  })
}

const TIME_OF_DAY = /^\d{1,2}:\d{2}:\d{2}$/

function decodeConnection(out: Collector, item: JsonObject, _data: JsonObject, at: string): void {
  out.identify(item['deviceSerialNo'], { kind: 'serial_number' })
  const kind = connectionKinds.get(item['connectionState'])
  if (kind === undefined) return out.report('unknown_event', at)
  const time = item['timestamp']
  // Some firmware writes 10:00:01 without a date: not an instant, but not an error either.
  const isTimeOfDay = typeof time === 'string' && TIME_OF_DAY.test(time)
  out.addHealth(kind, isTimeOfDay ? null : readTime(out, time, at, '/timestamp'))
}

const connectionKinds = new Map<unknown, 'connected' | 'disconnected'>([
  ['CONNECTED', 'connected'],
  ['DISCONNECTED', 'disconnected'],
])

function decodeAlert(out: Collector, item: JsonObject, _data: JsonObject, at: string): void {
  const { id, state, priority } = item
  out.addHealth('alert', readTime(out, item['timestamp'], at, '/timestamp'), {
    severity: readText(priority)?.toLowerCase(),
    id: readText(id),
    state: readText(state),
  })
}
