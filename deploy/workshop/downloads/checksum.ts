import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** SHA-256 in hexadecimal, by name of the file. */
export type Pins = Readonly<Record<string, string>>

/** Throws unless `file` has the hash that is pinned for its name. */
export function assertPinned(file: string, pins: Pins): void {
  const name = basename(file)
  const expected = pins[name]
  if (expected === undefined) throw new Error(`no hash is pinned for ${name}`)
  const actual = createHash('sha256').update(readFileSync(file)).digest('hex')
  if (actual !== expected) throw new Error(`${name} has the SHA-256 ${actual}; ${expected} is pinned`)
}
