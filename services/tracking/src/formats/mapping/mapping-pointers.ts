import { readPointer, valueAt, type JsonPath } from './json-pointer.ts'

/** What the pointers of a mapping start from (D16.4). */
export type Origin = {
  item: unknown
  /** The whole frame, for `^/…`. */
  root: unknown
  /** The levels of the topic after the format, for `$topic/1`. */
  topic: readonly string[]
  /** The name of the innermost object's member on the way to the item, for `$key`. */
  key: string | undefined
  /** The pointer of the item. */
  at: string
}

/** A parsed pointer of a mapping. `pointer` is how errors name it. */
export type Place = { start: 'item' | 'root' | 'topic' | 'key'; path: JsonPath; pointer: string }

const TOPIC = '$topic/'

export function readPlace(text: string): Place {
  if (text === '$key') return { start: 'key', path: [], pointer: '/$key' }
  if (text.startsWith(TOPIC))
    return { start: 'topic', path: [String(Number(text.slice(TOPIC.length)) - 1)], pointer: `/${text}` }
  if (text.startsWith('^')) return { start: 'root', path: readPointer(text.slice(1)), pointer: text.slice(1) }
  return { start: 'item', path: readPointer(text), pointer: text }
}

/** A value with its pointer in two parts, so that the common case builds no text. */
export type Field = { value: unknown; at: string; pointer: string }

export function fieldAt({ start, path, pointer }: Place, origin: Origin): Field {
  const at = start === 'item' || start === 'key' ? origin.at : ''
  return { value: valueAt(origin[start], path), at, pointer }
}

/** The pointer to the items, in the parts between its `*`. */
export type ReadsPath = readonly JsonPath[]

export function readReads(text: string): ReadsPath {
  const parts: string[][] = [[]]
  for (const name of readPointer(text.replace(/^\^/, ''))) {
    if (name === '*') parts.push([])
    else parts.at(-1)?.push(name)
  }
  return parts
}

type Visitor = {
  visit(item: unknown, at: string, key: string | undefined): void
  /** An element at a `*` does not have the rest of the pointer. */
  leadsNowhere(at: string): void
}

/** Visits each item. False if the pointer leads nowhere in `value`. Some senders write null for an empty list. */
export function visitItems(
  value: unknown,
  [path = [], ...rest]: ReadsPath,
  visitor: Visitor,
  at = '',
  key?: string,
): boolean {
  const found = valueAt(value, path)
  if (found === undefined) return false
  const isElement = at !== '' && path.length === 0
  const here = path.reduce((pointer, name) => `${pointer}/${pointerName(name)}`, at)
  if (rest.length === 0) {
    if (isElement || !Array.isArray(found)) {
      if (found !== null || path.length === 0) visitor.visit(found, here, key)
    } else for (const [index, item] of found.entries()) visitor.visit(item, `${here}/${index}`, key)
    return true
  }
  if (found === null) return true
  if (typeof found !== 'object') return false
  const isList = Array.isArray(found)
  for (const [name, element] of Object.entries(found)) {
    const elementAt = `${here}/${isList ? name : pointerName(name)}`
    if (!visitItems(element, rest, visitor, elementAt, isList ? key : name)) visitor.leadsNowhere(elementAt)
  }
  return true
}

const MAX_NAME = 64

/** A name of a message in a pointer: bounded, and in a form that can be stored. */
const pointerName = (name: string): string =>
  name
    .slice(0, MAX_NAME)
    .replaceAll('\0', '\ufffd')
    .toWellFormed()
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
