import { addBleRead, readPercent } from '../ble-reads.ts'
import { type Collector, decodeFrames } from '../collector.ts'
import type { DecodeContext, Decoded } from '../decoder.ts'
import { isObject, type JsonObject, readNumber } from '../json-values.ts'
import { readTextOrEpochTime } from '../read-fields.ts'
import { isAbsent } from '../texts.ts'

/** Decodes the Bluetooth gateways G1, G2, MG3 and MG4 set to JSON-LONG or JSON-RAW, not their binary forms. */
export function decodeMinew(bytes: Uint8Array, context: DecodeContext): Decoded {
  return decodeFrames(bytes, context, decodeFrame)
}

function decodeFrame(out: Collector, frame: unknown): void {
  if (!Array.isArray(frame)) return out.report('unexpected_shape', '')
  for (const [index, row] of frame.entries()) decodeRow(out, row, `/${index}`)
}

function decodeRow(out: Collector, row: unknown, at: string): void {
  if (!isObject(row)) return out.report('unexpected_shape', at)
  if (row['type'] === 'Gateway') return decodeGateway(out, row, at)
  if (isAbsent(row['mac']) && !isAbsent(row['gateway'])) return out.identify(row['gateway']) // the first row of JSON-RAW
  decodeTag(out, row, at)
}

/** The gateway's row about itself. It has the shape of a tag's row. */
function decodeGateway(out: Collector, row: JsonObject, at: string): void {
  out.identify(row['mac'])
  out.addHealth('heartbeat', readTextOrEpochTime(out, row['timestamp'], at, '/timestamp'), {
    free_percent: readNumber(row['gatewayFree']),
    load: readNumber(row['gatewayLoad']),
  })
}

const MEMBERS = {
  address: 'mac',
  name: 'bleName',
  ibeacon: {
    uuid: 'ibeaconUuid',
    major: 'ibeaconMajor',
    minor: 'ibeaconMinor',
    txPower: 'ibeaconTxPower',
  },
  adverts: ['rawData'],
}

function decodeTag(out: Collector, row: JsonObject, at: string): void {
  addBleRead(out, row, at, MEMBERS, {
    readAt: () => readTextOrEpochTime(out, row['timestamp'], at, '/timestamp'),
    battery: { battery_percent: readBattery(row) },
  })
}

/** An iBeacon row has the member although the advert has no such byte: there, 0 means not measured. */
function readBattery(row: JsonObject): number | undefined {
  const percent = readPercent(row['battery'])
  return percent === 0 && !isAbsent(row['ibeaconUuid']) ? undefined : percent
}
