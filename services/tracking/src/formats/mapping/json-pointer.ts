/** A parsed JSON pointer (RFC 6901): the names on the path from a value to one inside it. */
export type JsonPath = readonly string[]

/** The names of a well-formed pointer. */
export function readPointer(pointer: string): JsonPath {
  const [, ...names] = pointer.split('/')
  return pointer.includes('~') ? names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')) : names
}

const INDEX = /^(?:0|[1-9]\d{0,8})$/

/** The value at a path; undefined if there is none. Finds own properties only, never inherited ones. */
export function valueAt(root: unknown, path: JsonPath): unknown {
  let value = root
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value) ? !INDEX.test(name) : !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
