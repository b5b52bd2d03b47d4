import { addBleRead, readMillivolts, readPercent } from '../ble-reads.ts'
import { type Collector, decodeFrames } from '../collector.ts'
import type { DecodeContext, Decoded } from '../decoder.ts'
import { isObject, type JsonObject, readInteger } from '../json-values.ts'
import { readTime } from '../read-fields.ts'
import { isAbsent } from '../texts.ts'

/** Decodes the Bluetooth gateways of KKM, HoneyComm and related ones. Their times need the zone of the reader. */
export function decodeKkm(bytes: Uint8Array, context: DecodeContext): Decoded {
  return decodeFrames(bytes, context, decodeFrame)
}

function decodeFrame(out: Collector, frame: unknown): void {
  if (!isObject(frame) || isAbsent(frame['pkt_type'])) return out.report('unexpected_shape', '')
  out.identify(frame['gw_addr'])
  const { pkt_type: type, data } = frame
  if (type !== 'scan_report' && type !== 'state') return out.report('unknown_event', '')
  if (!isObject(data)) return out.report('unexpected_shape', '')
  if (type === 'state') return decodeState(out, frame, data)
  const tags = data['dev_infos']
  if (!Array.isArray(tags)) return out.report('unexpected_shape', '')
  for (const [index, tag] of tags.entries()) decodeTag(out, tag, `/data/dev_infos/${index}`)
}

const HEARTBEATS = new Set<unknown>(['sta_gw_hb', 'state_gw_hb'])

/** Any other state is the state of a tag that the gateway is connected to. */
function decodeState(out: Collector, frame: JsonObject, data: JsonObject): void {
  if (!HEARTBEATS.has(data['state'])) return out.report('unknown_event', '')
  out.addHealth('heartbeat', readClock(out, frame, ''), {
    ticks: readInteger(data['ticks_cnt'], 0, Number.MAX_SAFE_INTEGER),
  })
}

const MEMBERS = {
  address: 'addr',
  name: 'name',
  ibeacon: {
    uuid: 'ibcn_uuid',
    major: 'ibcn_major',
    minor: 'ibcn_minor',
    txPower: 'ibcn_rssi_at_1m',
  },
  adverts: ['adv_raw', 'srp_raw'],
}

function decodeTag(out: Collector, item: unknown, at: string): void {
  if (!isObject(item)) return out.report('unexpected_shape', at)
  const tag = item['name'] === 'null' ? { ...item, name: null } : item // the gateway's text for a tag without a name
  addBleRead(out, tag, at, MEMBERS, { readAt: () => readClock(out, item, at), battery: readBattery(item) })
}

/** A wall time in seconds and, in another field, its milliseconds. */
function readClock(out: Collector, item: JsonObject, at: string): number | null {
  const ms = readTime(out, item['time'], at, '/time')
  if (ms === null || isAbsent(item['msec'])) return ms
  const fraction = readInteger(item['msec'], 0, 999)
  if (fraction === undefined) out.report('invalid_field', `${at}/msec`)
  return ms + (fraction ?? 0)
}

const PERCENT = 0
const MILLIVOLTS = 1

function readBattery({ batt_type: type, batt_value: value }: JsonObject) {
  return {
    battery_percent: type === PERCENT ? readPercent(value) : undefined,
    battery_mv: type === MILLIVOLTS ? readMillivolts(value) : undefined,
  }
}
