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
export function visitItems(value: unknown, path: ReadsPath, visitor: Visitor): boolean {
  const step = path.reduceRight<Step | undefined>((below, names) => ({ names, below, visitor }), undefined)
  return visitFrom(step ?? { names: [], below: undefined, visitor }, value, '', undefined)
}

/** A part of the pointer between its `*`, and the rest of it. */
type Step = { names: JsonPath; below: Step | undefined; visitor: Visitor }

function visitFrom(step: Step, value: unknown, at: string, key: string | undefined): boolean {
  const { names, below, visitor } = step
  const found = valueAt(value, names)
  if (found === undefined) return false
  let here = at
  for (const name of names) here += `/${pointerName(name)}`
  if (!below) {
    const isElement = at !== '' && names.length === 0
    if (isElement || !Array.isArray(found)) {
      if (found !== null || names.length === 0) visitor.visit(found, here, key)
    } else for (const [index, item] of found.entries()) visitor.visit(item, `${here}/${index}`, key)
    return true
  }
  if (found === null) return true
  if (typeof found !== 'object') return false
  const isList = Array.isArray(found)
  const elements = found as Readonly<Record<string, unknown>>
  for (const name of Object.keys(found)) {
    // without pairs of names and values, because a message has thousands
    const elementAt = `${here}/${isList ? name : pointerName(name)}`
    if (!visitFrom(below, elements[name], elementAt, isList ? key : name)) visitor.leadsNowhere(elementAt)
  }
  return true
}

const MAX_NAME = 64

/** A name of a message in a pointer: bounded, and in a form that can be stored. */
const pointerName = (name: string): string => (PLAIN.test(name) ? name : escaped(name))

/** Nearly all names. A message may have thousands. */
const PLAIN = /^[\w .:-]{0,64}$/

const escaped = (name: string): string =>
  name
    .slice(0, MAX_NAME)
    .replaceAll('\0', '\ufffd')
    .toWellFormed()
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
