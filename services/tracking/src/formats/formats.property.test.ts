import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decoded, Decoder, NeutralRead } from './decoder.ts'
import { decoderFor } from './formats.ts'
import { listFixtures, readFixture } from './format-testing.ts'

const context = { reader: 'r1', received_at_ms: 1_772_359_205_000, timezone: 'Europe/Berlin' }
const decoders = ['canonical', 'impinj', 'zebra'].map((format): Decoder => {
  const decoder = decoderFor(format)
  if (decoder === undefined) throw new Error(`no decoder for ${format}`)
  return decoder
})
const messages = listFixtures().map(readFixture)

function checkRead(read: NeutralRead): void {
  expect(read).toMatchObject({ reader: context.reader, received_at_ms: context.received_at_ms })
  expect(Number.isInteger(read.antenna) && read.antenna >= 1 && read.antenna <= 65_535).toBe(true)
  expect(Number.isInteger(read.read_count) && read.read_count >= 1).toBe(true)
  expect(read.rssi_dbm === null || (read.rssi_dbm < 0 && read.rssi_dbm >= -128)).toBe(true)
  expect(read.read_at_ms === null || Number.isInteger(read.read_at_ms)).toBe(true)
  const shape = { rfid: /^(?:[0-9A-F]{2}){2,62}$/, ble: /^[0-9A-F]{12}$/, barcode: /^[^\0]{1,510}$/s }[
    read.tag_type
  ]
  expect(read.tag_value).toMatch(shape)
}

function checkDecoded(decoded: Decoded): void {
  decoded.reads.forEach(checkRead)
  for (const { at_ms, reader } of decoded.health) {
    expect(reader).toBe(context.reader)
    expect(at_ms === null || Number.isInteger(at_ms)).toBe(true)
  }
  for (const { frame, pointer } of decoded.errors) {
    expect(frame).toBeGreaterThanOrEqual(0)
    expect(pointer).toMatch(/^(?:\/[\w-]+)*$/)
  }
  if (decoded.buried) {
    expect(decoded).toMatchObject({ reads: [], health: [] })
    expect(decoded.errors).not.toEqual([])
  }
  // What PostgreSQL would refuse: NUL and lone surrogates, neither of which may reach a column of text or jsonb.
  expect(JSON.stringify(decoded)).not.toMatch(/\\u0000|\\ud[89a-f]/i)
}

const decodeWithAll = (bytes: Uint8Array) => {
  for (const decode of decoders) checkDecoded(decode(bytes, context))
}

/** The report of a failing run, with the smallest message that shows it; undefined when the property holds. */
const counterexample = <T>(property: fc.IProperty<T>, numRuns: number) =>
  fc.defaultReportMessage(fc.check(property, { numRuns }))

test('random bytes never throw and give a well-formed result', () => {
  expect(counterexample(fc.property(fc.uint8Array({ maxLength: 200 }), decodeWithAll), 1000)).toBeUndefined()
})

test('random JSON never throws and gives a well-formed result', () => {
  expect(
    counterexample(
      fc.property(fc.json(), (text) => decodeWithAll(Buffer.from(text))),
      1000,
    ),
  ).toBeUndefined()
})

test('a message with bytes replaced, removed or repeated never throws', () => {
  const edit = fc.record({ at: fc.nat(), remove: fc.nat(6), insert: fc.uint8Array({ maxLength: 4 }) })
  const mutated = fc
    .tuple(fc.constantFrom(...messages), fc.array(edit, { minLength: 1, maxLength: 4 }))
    .map(([message, edits]) => {
      let bytes = message
      for (const { at, remove, insert } of edits) {
        const start = at % (bytes.length + 1)
        bytes = Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start + remove)])
      }
      return bytes
    })
  expect(counterexample(fc.property(mutated, decodeWithAll), 2000)).toBeUndefined()
})

const oddity = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    0,
    -1,
    1e308,
    5e-324,
    '',
    ' ',
    '\0',
    '\ud800',
    'N/A',
    '1e999',
    'GMT',
    '+08',
    '2026-03-01 02:30:00',
    [],
    {},
    null,
  ),
)

/** The same document with some of its values replaced, chosen by `pick`. */
function replaceSome(value: unknown, pick: () => { replace: boolean; by: unknown }): unknown {
  const { replace, by } = pick()
  if (replace) return by
  if (Array.isArray(value)) return value.map((item: unknown) => replaceSome(item, pick))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceSome(member, pick)]))
}

test('a message whose members hold something else never throws', () => {
  const documents = messages.flatMap((message): unknown[] => {
    try {
      return [JSON.parse(message.toString())]
    } catch {
      return [] // several frames, or broken on purpose
    }
  })
  const choices = fc.infiniteStream(
    fc.record({ replace: fc.integer({ min: 0, max: 9 }).map((n) => n === 0), by: oddity }),
  )
  const mutated = fc.tuple(fc.constantFrom(...documents), choices).map(([document, stream]) => {
    const pick = () => stream.next().value
    return Buffer.from(JSON.stringify(replaceSome(document, pick)) ?? '')
  })
  expect(counterexample(fc.property(mutated, decodeWithAll), 2000)).toBeUndefined()
})
