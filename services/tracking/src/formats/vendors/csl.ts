import { type Collector, decodeItems } from '../collector.ts'
import type { DecodeContext, Decoded } from '../decoder.ts'
import { isObject, type JsonObject } from '../json-values.ts'
import { readAntenna, readEpochTime, readRssi, readTime, readZone } from '../read-fields.ts'
import { readEpcTag } from '../tag-values.ts'
import { readRfidTag, type TagMembers } from '../rfid-tag.ts'
import { isAbsent, readText } from '../texts.ts'

/**
 * Decodes CS463 and CS203X readers that send their default JSON format. A body with other labels, which can be
 * configured on the device, needs format `mapping`.
 */
export function decodeCsl(bytes: Uint8Array, context: DecodeContext): Decoded {
  return decodeItems(bytes, context, decodeItem)
}

function decodeItem(out: Collector, item: unknown, at: string): void {
  const tags = isObject(item) ? item['tags'] : undefined
  if (!isObject(item) || !Array.isArray(tags)) return out.report('unexpected_shape', at)
  out.identify(item['pcEthernetMACAddress'])
  out.identify(item['pcWiFiMACAddress'], { kind: 'wifi_address' })
  out.identify(item['rfidReaderName'])
  for (const [index, tag] of tags.entries()) decodeTag(out, tag, `${at}/tags/${index}`, item, at)
}

const TAG: TagMembers = { epc: [{ name: 'epc', read: readEpcTag }], tid: [] }

function decodeTag(out: Collector, item: unknown, at: string, message: JsonObject, messageAt: string): void {
  if (!isObject(item)) return out.report('unexpected_shape', at)
  const tag = readRfidTag(out, item, at, TAG)
  if (tag === undefined) return
  if (isAbsent(item['antennaPort'])) out.noteMissingAntenna()
  out.addRead({
    antenna: readAntenna(out, item['antennaPort'], at, '/antennaPort'),
    tag_type: 'rfid',
    tag_value: tag.value,
    rssi_dbm: readRssi(out, item['rssi'], 1, at, '/rssi'),
    read_count: 1,
    // The number is UTC, also if there is a zone.
    read_at_ms:
      readEpochTime(out, item['timeStampOfRead'], 'us', at, '/timeStampOfRead') ??
      readWallTime(out, item, at, message, messageAt),
    extra: { antenna_name: readText(item['capturePointName']) },
  })
}

/** The zone of the tag beats that of the message, which beats that of the reader. */
function readWallTime(
  out: Collector,
  item: JsonObject,
  at: string,
  message: JsonObject,
  messageAt: string,
): number | null {
  if (isAbsent(item['timeOfRead'])) return null
  const zone =
    readZone(out, item['timeZone'], at, '/timeZone') ??
    readZone(out, message['timeZone'], messageAt, '/timeZone')
  return readTime(out, item['timeOfRead'], at, '/timeOfRead', zone)
}
