import { addBleRead } from '../ble-reads.ts'
import { type Collector, decodeFrames } from '../collector.ts'
import type { DecodeContext, Decoded } from '../decoder.ts'
import { isObject, type JsonObject, readInteger } from '../json-values.ts'
import { readEpochTime } from '../read-fields.ts'
import { isAbsent } from '../texts.ts'

/** Decodes the Bluetooth gateway GL-S10: one advert per message (first generation) or a list of adverts (second). */
export function decodeGlS10(bytes: Uint8Array, context: DecodeContext): Decoded {
  return decodeFrames(bytes, context, decodeFrame)
}

function decodeFrame(out: Collector, frame: unknown): void {
  if (!isObject(frame)) return out.report('unexpected_shape', '')
  const list = frame['dev_list']
  const isOneAdvert = list === undefined && (!isAbsent(frame['mac']) || !isAbsent(frame['dev_ble_mac']))
  if (!isOneAdvert && !Array.isArray(list)) return out.report('unexpected_shape', '')
  out.identify(frame['dev_ble_mac']) // not the address of its WiFi, which differs
  if (!Array.isArray(list)) return decodeAdvert(out, frame)
  for (const [index, item] of list.entries()) decodeListed(out, item, `/dev_list/${index}`)
}

const LISTED = { address: 'mac', adverts: ['ad'] }

function decodeListed(out: Collector, item: unknown, at: string): void {
  if (!isObject(item)) return out.report('unexpected_shape', at)
  addBleRead(out, item, at, LISTED, { readAt: () => readEpochTime(out, item['ts'], 'ms', at, '/ts') })
}

const SINGLE = { address: 'mac', adverts: ['adv_data', 'scan_resp'] }

/** The first generation has no clock. */
function decodeAdvert(out: Collector, item: JsonObject): void {
  const cut = { ...item, adv_data: cutAdvert(item, 'adv_data'), scan_resp: cutAdvert(item, 'scan_resp') }
  addBleRead(out, cut, '', SINGLE, { readAt: () => null })
}

/**
 * The valid hex digits, in whole bytes. Digits after them are left over from other adverts. `…_len` counts digits,
 * not bytes, and the buffer of a full advert lost its last digits.
 */
function cutAdvert(item: JsonObject, member: string): unknown {
  const text = item[member]
  if (typeof text !== 'string') return text
  const digits = Math.min(readInteger(item[`${member}_len`], 0, 0xffff) ?? text.length, text.length)
  return text.slice(0, digits - (digits % 2))
}
