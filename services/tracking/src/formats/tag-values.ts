import type { Collector } from './collector.ts'
import type { JsonObject } from './json-values.ts'
import { isAbsent } from './texts.ts'

const MIN_HEX_DIGITS = 4
const MAX_HEX_DIGITS = 124

/** Whole bytes as hex digits, of any length. */
export function isHexBytes(value: unknown): value is string {
  if (typeof value !== 'string' || value.length % 2 !== 0) return false
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at) | 0x20 // lower case; turns no other character into a hex digit
    const isDigit = code >= 0x30 && code <= 0x39
    if (!(isDigit || (code >= 0x61 && code <= 0x66)) || value.charCodeAt(at) < 0x30) return false
  }
  return true
}

/** An EPC or TID written as hex, in upper case; undefined when it is none. */
export function readHexTag(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length < MIN_HEX_DIGITS || value.length > MAX_HEX_DIGITS)
    return undefined
  // The check comes first: there are ligatures whose upper case is a pair of hex digits.
  return isHexBytes(value) ? value.toUpperCase() : undefined
}

const BASE64 = /^[\w+/-]+={0,2}$/

/** An EPC or TID written as base64url or base64, padded or not, as upper-case hex; undefined when it is none. */
export function readBase64Tag(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_HEX_DIGITS || !BASE64.test(value)) return undefined
  const padding = value.indexOf('=')
  if ((padding === -1 ? value.length : padding) % 4 === 1) return undefined
  return readHexTag(Buffer.from(value, 'base64url').toString('hex'))
}

const SEPARATED_MAC = /^[0-9a-f]{2}(?:[:\- ]?[0-9a-f]{2}){5}$/i

/** A 48-bit address with or without separators, as 12 upper-case hex digits; undefined when it is none. */
export function readMac(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length < 12 || value.length > 17 || !SEPARATED_MAC.test(value)) {
    return undefined
  }
  return value.length === 12 ? value.toUpperCase() : value.replaceAll(/[:\- ]/g, '').toUpperCase()
}

/** A member that may hold an EPC or TID, and how it is written. */
type TagMember = { name: string; read: (value: unknown) => string | undefined }

/** In order of preference. */
export type TagMembers = { epc: readonly TagMember[]; tid: readonly TagMember[] }

/**
 * The identity of an rfid tag: its EPC, else its TID, which is returned beside it where known. Reports members that
 * contradict or cannot be decoded at `at` + their name, and returns undefined when no usable one is left.
 */
export function readRfidTag(
  out: Collector,
  item: JsonObject,
  at: string,
  members: TagMembers,
): { value: string; tid: string | undefined } | undefined {
  const unusable: string[] = []
  const epc = firstTag(out, item, at, members.epc, unusable)
  const tid = firstTag(out, item, at, members.tid, unusable)
  const value = epc ?? tid
  if (value === undefined) {
    const [first] = unusable
    if (first === undefined) out.report('missing_tag', at)
    else out.report('invalid_tag', `${at}/${first}`)
    return undefined
  }
  for (const name of unusable) out.report('invalid_field', `${at}/${name}`)
  return { value, tid }
}

function firstTag(
  out: Collector,
  item: JsonObject,
  at: string,
  members: readonly TagMember[],
  unusable: string[],
): string | undefined {
  let first: string | undefined
  for (const { name, read } of members) {
    const raw = item[name]
    if (isAbsent(raw)) continue
    const tag = read(raw)
    if (tag === undefined) unusable.push(name)
    else if (first === undefined) first = tag
    else if (first !== tag) out.report('field_conflict', `${at}/${name}`)
  }
  return first
}
