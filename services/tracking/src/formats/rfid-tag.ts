import type { Collector } from './collector.ts'
import type { JsonObject } from './json-values.ts'
import { isAbsent } from './texts.ts'

/** A member that may have an EPC or TID, and its encoding. */
type TagMember = { name: string; read: (value: unknown) => string | undefined }

/** In order of preference. */
export type TagMembers = { epc: readonly TagMember[]; tid: readonly TagMember[] }

/**
 * The identity of an RFID tag: its EPC, or else its TID; also the TID, if known. Reports members that contradict each
 * other or cannot be decoded at `at` + their name. Undefined if none is usable.
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
