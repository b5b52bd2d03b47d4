import { addBleRead, readMillivolts } from '../ble-reads.ts'
import { type Collector, decodeFrames } from '../collector.ts'
import type { DecodeContext, Decoded } from '../decoder.ts'
import { isObject, type JsonObject, objectAt, readInteger } from '../json-values.ts'
import { readEpochTime, readTextOrEpochTime } from '../read-fields.ts'
import { isAbsent } from '../texts.ts'

/** Decodes the Bluetooth gateways MK107, MK107 Pro, MKGW3 and MKGW-mini, not the binary frames of an MKGW4. */
export function decodeMoko(bytes: Uint8Array, context: DecodeContext): Decoded {
  return decodeFrames(bytes, context, decodeFrame)
}

const CONNECTION = 3003
/** On older firmware a scan, on newer firmware a heartbeat: `data` tells them apart. */
const SCAN_OR_HEARTBEAT = 3004
const SCAN = 3070

function decodeFrame(out: Collector, frame: unknown): void {
  if (!isObject(frame) || isAbsent(frame['msg_id'])) return out.report('unexpected_shape', '')
  const device = objectAt(frame['device_info'])
  out.identify(device['mac'])
  out.identify(device['device_id'], { kind: 'serial_number' })
  const { data } = frame
  const id = readInteger(frame['msg_id'], 0, 0xffff)
  if (Array.isArray(data) && (id === SCAN || id === SCAN_OR_HEARTBEAT)) return decodeScan(out, data)
  if (isObject(data) && id === SCAN_OR_HEARTBEAT) return decodeHeartbeat(out, data)
  if (isObject(data) && id === CONNECTION) return decodeConnection(out, data)
  const isKnown = id === SCAN || id === SCAN_OR_HEARTBEAT || id === CONNECTION
  out.report(isKnown ? 'unexpected_shape' : 'unknown_event', '')
}

const IBEACON = { uuid: 'uuid', major: 'major', minor: 'minor' }
const MEMBERS = {
  address: 'mac',
  name: 'name',
  ibeacon: { ...IBEACON, txPower: 'rssi_1m' },
  adverts: ['adv_data', 'rsp_data'],
}
const OLDER_MEMBERS = {
  ...MEMBERS,
  ibeacon: { ...IBEACON, txPower: 'rssi@1m' },
  adverts: ['raw data', 'raw'],
}

/** An older item has its members in `value`. The number `type` next to it means something else on every firmware. */
function decodeScan(out: Collector, items: readonly unknown[]): void {
  for (const [index, item] of items.entries()) {
    const at = `/data/${index}`
    const value = isObject(item) ? item['value'] : undefined
    if (isObject(value)) decodeTag(out, value, `${at}/value`, OLDER_MEMBERS)
    else if (isObject(item) && value === undefined) decodeTag(out, item, at, MEMBERS)
    else out.report('unexpected_shape', at)
  }
}

function decodeTag(out: Collector, tag: JsonObject, at: string, members: typeof MEMBERS): void {
  addBleRead(out, tag, at, members, {
    // Milliseconds, or seconds since power-on until the clock is set. Older firmware writes text.
    readAt: () => readTextOrEpochTime(out, tag['timestamp'], at, '/timestamp'),
    battery: { battery_mv: readMillivolts(tag['batt_vol']) },
  })
}

function decodeHeartbeat(out: Collector, data: JsonObject): void {
  out.addHealth('heartbeat', readEpochTime(out, data['timestamp'], 'ms', '/data', '/timestamp'), {
    wifi_rssi_dbm: readInteger(data['wifi_rssi'], -128, -1),
  })
}

function decodeConnection(out: Collector, data: JsonObject): void {
  out.addHealth(data['net_state'] === 'online' ? 'connected' : 'disconnected', null)
}
