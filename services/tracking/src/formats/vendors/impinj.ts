import { type Collector, type DetailMembers, decodeItems } from '../collector.ts'
import type { DecodeContext, Decoded } from '../decoder.ts'
import { decodeSmartReader, isSmartReader } from './impinj-smartreader.ts'
import { isObject, type JsonObject, readInteger } from '../json-values.ts'
import { readAntenna, readRssi, readTime } from '../read-fields.ts'
import { readBase64Tag, readEpcTag } from '../tag-values.ts'
import { readRfidTag, type TagMembers } from '../rfid-tag.ts'
import { isAbsent, readText } from '../texts.ts'

/** Decodes the events of an Impinj R700 or R720 (IoT device interface), and those of SmartReader on it. */
export function decodeImpinj(bytes: Uint8Array, context: DecodeContext): Decoded {
  return decodeItems(bytes, context, decodeItem)
}

function decodeItem(out: Collector, item: unknown, at: string): void {
  if (!isObject(item)) return out.report('unexpected_shape', at)
  if (isSmartReader(item)) return decodeSmartReader(out, item, at)
  const event = findEvent(item)
  if (event === undefined) return out.report('unexpected_shape', at)
  out.identify(item['hostname'], { read: readHostname })
  if (event.name === 'tagInventoryEvent') return decodeTagInventory(out, item, event.body, at)
  decodeHealth(out, item, event.name, event.body, at)
}

/** The member that holds the event. `eventType` would name it, but some senders leave that out. */
function findEvent(item: JsonObject): { name: string; body: JsonObject } | undefined {
  const inventory = item['tagInventoryEvent']
  if (isObject(inventory)) return { name: 'tagInventoryEvent', body: inventory }
  for (const [name, body] of Object.entries(item)) {
    if (name.endsWith('Event') && isObject(body)) return { name, body }
  }
  return undefined
}

const FACTORY_HOSTNAME = /^impinj-([0-9a-f]{2})-([0-9a-f]{2})-([0-9a-f]{2})$/i
const IMPINJ_OUI = '001625'

/** The factory name of a reader ends with the last octets of its MAC. Any other name is kept. */
function readHostname(hostname: unknown): string | undefined {
  const match = typeof hostname === 'string' ? FACTORY_HOSTNAME.exec(hostname) : null
  return match === null ? readText(hostname) : `${IMPINJ_OUI}${match[1]}${match[2]}${match[3]}`.toUpperCase()
}

const TAG: TagMembers = {
  epc: [
    { name: 'epcHex', read: readEpcTag },
    { name: 'epc', read: readBase64Tag },
  ],
  tid: [
    { name: 'tidHex', read: readEpcTag },
    { name: 'tid', read: readBase64Tag },
  ],
}
const CENTI = 100

function decodeTagInventory(out: Collector, item: JsonObject, body: JsonObject, itemAt: string): void {
  const at = `${itemAt}/tagInventoryEvent`
  const tag = readRfidTag(out, body, at, TAG)
  if (tag === undefined) return
  if (isAbsent(body['antennaPort'])) out.noteMissingAntenna()
  out.addRead({
    antenna: readAntenna(out, body['antennaPort'], at, '/antennaPort'),
    tag_type: 'rfid',
    tag_value: tag.value,
    rssi_dbm: readRssi(out, body['peakRssiCdbm'], CENTI, at, '/peakRssiCdbm'),
    read_count: 1,
    // When the tag was seen, or else when the event was queued.
    read_at_ms:
      readTime(out, body['lastSeenTime'], at, '/lastSeenTime') ??
      readTime(out, item['timestamp'], itemAt, '/timestamp'),
    extra: { tid: tag.tid, antenna_name: readText(body['antennaName']) },
  })
}

/** All events that are not reads. Some are only counted, such as positions, which are not antennas. */
function decodeHealth(
  out: Collector,
  item: JsonObject,
  name: string,
  body: JsonObject,
  itemAt: string,
): void {
  const at = `${itemAt}/${name}`
  const queuedAt = () => readTime(out, item['timestamp'], itemAt, '/timestamp')
  switch (name) {
    case 'antennaConnectedEvent':
      return out.addHealth('antenna_connected', queuedAt(), antennaDetail(out, body, at))
    case 'antennaDisconnectedEvent':
      return out.addHealth('antenna_disconnected', queuedAt(), antennaDetail(out, body, at))
    case 'inventoryStatusEvent': // the status was called inventoryStatus on older firmware
      return out.addHealth('inventory_status', queuedAt(), {
        status: readText(body['status']) ?? readText(body['inventoryStatus']),
      })
    case 'inventoryTerminatedEvent':
      return out.addHealth('inventory_terminated', queuedAt())
    case 'overflowEvent':
      return out.addHealth('reads_lost', queuedAt(), overflowDetail(out, body, at))
    case 'diagnosticEvent': // numbers without a published meaning
      return
    default:
      out.report('unknown_event', itemAt)
  }
}

function antennaDetail(out: Collector, body: JsonObject, at: string): DetailMembers {
  if (isAbsent(body['antennaPort'])) return {}
  return { antenna: readAntenna(out, body['antennaPort'], at, '/antennaPort') }
}

function overflowDetail(out: Collector, body: JsonObject, at: string): DetailMembers {
  const instant = (field: string) => {
    const ms = readTime(out, body[field], at, `/${field}`)
    return ms === null ? undefined : new Date(ms).toISOString()
  }
  return {
    count: readInteger(body['eventsPurged'], 0, Number.MAX_SAFE_INTEGER),
    from: instant('firstEventTimestamp'),
    to: instant('lastEventTimestamp'),
    remaining: readInteger(body['eventsRemaining'], 0, Number.MAX_SAFE_INTEGER),
  }
}
