import type { Collector } from '../collector.ts'
import { isObject, type JsonObject } from '../json-values.ts'
import { readAntenna, readEpochTime, readRssi } from '../read-fields.ts'
import { readEpcTag } from '../tag-values.ts'
import { readRfidTag, type TagMembers } from '../rfid-tag.ts'
import { isAbsent, readText } from '../texts.ts'

const STATUS = 'smartreader-status'

/** True for an item of SmartReader, an application on the R700 with its own messages. */
export function isSmartReader(item: JsonObject): boolean {
  return item['tag_reads'] !== undefined || item[STATUS] !== undefined
}

/** Decodes an item for which `isSmartReader` holds: a list of reads, or a status. */
export function decodeSmartReader(out: Collector, item: JsonObject, at: string): void {
  const reads = item['tag_reads']
  if (reads !== undefined && !Array.isArray(reads)) return out.report('unexpected_shape', at)
  out.identify(item['mac'])
  out.identify(item['readerName'])
  if (reads === undefined) return decodeStatus(out, item, at)
  for (const [index, record] of reads.entries()) decodeRecord(out, record, `${at}/tag_reads/${index}`)
}

function decodeStatus(out: Collector, item: JsonObject, at: string): void {
  const status = readText(item[STATUS])
  if (status === undefined) out.report('invalid_field', `${at}/${STATUS}`)
  out.addHealth('status', readEpochTime(out, item['timestamp'], 'us', at, '/timestamp'), { status })
}

const TAG: TagMembers = { epc: [{ name: 'epc', read: readEpcTag }], tid: [{ name: 'tid', read: readEpcTag }] }

function decodeRecord(out: Collector, record: unknown, at: string): void {
  if (!isObject(record)) return out.report('unexpected_shape', at)
  // First the flag, because a heartbeat also has an EPC and an antenna, both invented.
  if (record['isHeartBeat'] === true || record['isHeartBeat'] === 'true') {
    return out.addHealth('heartbeat', seenAt(out, record, at))
  }
  const tag = readRfidTag(out, record, at, TAG)
  if (tag === undefined) return
  if (isAbsent(record['antennaPort'])) out.noteMissingAntenna()
  out.addRead({
    antenna: readAntenna(out, record['antennaPort'], at, '/antennaPort'),
    tag_type: 'rfid',
    tag_value: tag.value,
    rssi_dbm: readRssi(out, record['peakRssi'], 1, at, '/peakRssi'),
    read_count: 1,
    read_at_ms: seenAt(out, record, at),
    extra: { tid: tag.tid, antenna_name: readText(record['antennaZone']) },
  })
}

const seenAt = (out: Collector, record: JsonObject, at: string) =>
  readEpochTime(out, record['firstSeenTimestamp'], 'us', at, '/firstSeenTimestamp')
