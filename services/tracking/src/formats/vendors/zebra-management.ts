import type { Collector, DetailMembers } from '../collector.ts'
import { type JsonObject, listAt, objectAt, readInteger, readNumber } from '../json-values.ts'
import { readTime } from '../read-fields.ts'
import { isAbsent, readText } from '../texts.ts'

const MAX_ANTENNAS = 64
const MAX_INTERFACES = 64

type EventDecoder = (out: Collector, data: JsonObject, atMs: number | null) => void

const events: ReadonlyMap<unknown, EventDecoder> = new Map<unknown, EventDecoder>([
  [
    'heartbeat',
    (out, data, atMs) => {
      const system = objectAt(data['system'])
      out.identify(system['macAddress'])
      out.identify(system['hostName'])
      out.addHealth('heartbeat', atMs, heartbeatDetail(data))
    },
  ],
  ['gpi', (out, data, atMs) => out.addHealth('gpio', atMs, gpioDetail('in', data))],
  ['gpo', (out, data, atMs) => out.addHealth('gpio', atMs, gpioDetail('out', data))],
  ['warning', (out, data, atMs) => out.addHealth('alert', atMs, alertDetail('warning', data))],
  ['error', (out, data, atMs) => out.addHealth('alert', atMs, alertDetail('error', data))],
  ['firmwareUpdateProgress', (out, data, atMs) => out.addHealth('firmware_update', atMs, updateDetail(data))],
  ['userapp', (out, data, atMs) => out.addHealth('user_event', atMs, { event: readText(data['event']) })],
])

/**
 * True for an event of a fixed reader about itself. The member `component`, the name of the sender, also marks
 * unknown events.
 */
export function isZebraManagement(item: JsonObject): boolean {
  return !isAbsent(item['type']) && (!isAbsent(item['component']) || events.has(item['type']))
}

/** Decodes an item for which `isZebraManagement` is true. Tolerant, because bodies differ by model and firmware. */
export function decodeZebraManagement(out: Collector, item: JsonObject, data: JsonObject, at: string): void {
  const decode = events.get(item['type'])
  if (decode === undefined) return out.report('unknown_event', at)
  decode(out, data, readTime(out, item['timestamp'], at, '/timestamp'))
}

function heartbeatDetail(data: JsonObject): DetailMembers {
  const radio = objectAt(data['radio_control'])
  const gateway = objectAt(data['reader_gateway'])
  const system = objectAt(data['system'])
  const activity = readText(radio['radioActivity'])
  return {
    antennas: antennaStates(radio['antennas']),
    radio_active: activity === undefined ? undefined : activity === 'active',
    reads_total: readInteger(radio['numTagReads'], 0, Number.MAX_SAFE_INTEGER),
    messages_dropped: messagesDropped(gateway),
    interfaces_down: interfacesDown(gateway['interfaceConnectionStatus']),
    uptime_s: readUptime(system['uptime']),
    temperature_c: readNumber(objectAt(system['temperature'])['ambient']),
    ntp_offset: readNumber(objectAt(system['ntp'])['offset']),
  }
}

/** Maps have 6, 8 or 13 entries. Only numbers count as keys, so that none can be `__proto__`. */
function antennaStates(value: unknown): Record<string, string> | undefined {
  const states: Record<string, string> = {}
  let count = 0
  for (const [antenna, raw] of Object.entries(objectAt(value))) {
    const state = readText(raw)
    if (state === undefined || !/^\d{1,5}$/.test(antenna)) continue
    states[antenna] = state
    count += 1
    if (count === MAX_ANTENNAS) break
  }
  return count === 0 ? undefined : states
}

/** The sum of all data paths. The vendor's documents still show the single counter of older firmware. */
function messagesDropped(gateway: JsonObject): number | undefined {
  const paths = gateway['dataPathStatistics']
  if (!Array.isArray(paths)) return readInteger(gateway['numDataMessagesDropped'], 0, Number.MAX_SAFE_INTEGER)
  let dropped = 0
  for (const path of paths)
    dropped += readInteger(objectAt(path)['numDataMessagesDropped'], 0, 0xffff_ffff) ?? 0
  return dropped
}

function interfacesDown(value: unknown): string[] | undefined {
  if (isAbsent(value)) return undefined
  const entries = Object.values(objectAt(value)).flatMap(listAt).map(objectAt)
  const down = entries.filter((entry) => entry['connectionStatus'] !== 'connected')
  return down.slice(0, MAX_INTERFACES).flatMap((entry) => readText(entry['interface']) ?? [])
}

/** `4:19:5` in seconds: hours, minutes and seconds, not padded. */
function readUptime(value: unknown): number | undefined {
  const match = typeof value === 'string' ? /^(\d{1,6}):(\d{1,2}):(\d{1,2})$/.exec(value) : null
  return match === null ? undefined : Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3])
}

const gpioDetail = (direction: 'in' | 'out', data: JsonObject): DetailMembers => ({
  direction,
  pin: readInteger(data['pin'], 0, 0xffff),
  state: readText(data['state'])?.toLowerCase(),
})

const alertDetail = (severity: string, data: JsonObject): DetailMembers => ({
  severity,
  message: readText(data['message']),
})

const updateDetail = (data: JsonObject): DetailMembers => ({
  status: readText(data['status']),
  progress_percent: readNumber(data['overallUpdateProgress']),
})
