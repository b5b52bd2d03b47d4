/** For the property tests of the decoders: the properties of every result, and messages that are nearly real. */
import { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import { readerFormats } from '@whereabouts/contracts/resources/tracking/readers'
import * as fc from 'fast-check'
import type { DecodeContext, Decoded, NeutralRead } from '../../src/formats/decoder.ts'
import { contextOf, listFixtures, readFixture } from './format-testing.ts'
import { decoderFor } from '../../src/formats/formats.ts'

export const context = { reader: 'r1', received_at_ms: 1_772_359_205_000, timezone: 'Europe/Berlin' }
const fixtures = listFixtures()
export const messages = fixtures.map(readFixture)

/** The mappings of the fixtures, and one with all pointers at one place. */
const mappings = [
  ...new Map(
    fixtures.map((fixture) => [JSON.stringify(fixture.context.mapping), contextOf(fixture).mapping]),
  ).values(),
  ReaderMapping.parse({ reads: '', tag: '', tag_type: 'barcode', antenna: '', location: '', rssi: '', time: '', time_format: 'local', zone: '' }), // oxfmt-ignore
]

const TAG_VALUE = {
  rfid: /^(?:(?:[0-9A-F]{2}){2,62}|urn:epc:id:[!-~]{1,244})$/,
  ble: /^(?:[0-9A-F]{12}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/\d{1,5}\/\d{1,5})$/,
  barcode: /^[^\0]{1,510}$/s,
}
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/
const isWhole = (value: number, min: number, max: number) =>
  Number.isInteger(value) && value >= min && value <= max
const isInstant = (ms: number | null) => ms === null || Number.isInteger(ms)
const isText = (text: string | undefined) => text === undefined || (text !== '' && text.length <= 510)

/** The properties that ingest relies on. */
const isWellFormedRead = ({ extra: { ibeacon, location, name } = {}, ...read }: NeutralRead): boolean =>
  isWhole(read.antenna, 1, 65_535) &&
  isWhole(read.read_count, 1, 2 ** 31 - 1) &&
  (read.rssi_dbm === null || (read.rssi_dbm < 0 && read.rssi_dbm >= -128)) &&
  isInstant(read.read_at_ms) &&
  TAG_VALUE[read.tag_type].test(read.tag_value) &&
  (ibeacon === undefined ||
    (UUID.test(ibeacon.uuid) && isWhole(ibeacon.major, 0, 0xffff) && isWhole(ibeacon.minor, 0, 0xffff))) &&
  isText(location) &&
  isText(name)

/**
 * Throws for a result that ingest cannot use. Plain comparisons, because a message may have a hundred thousand reads
 * and `expect` is slow for each.
 */
export function checkDecoded(decoded: Decoded): void {
  const { reads, health, errors, isDeadLetter, refusal } = decoded
  const wrong = [
    ...reads.filter((read) => !isWellFormedRead(read)),
    ...health.filter(({ at_ms, reader }) => reader !== context.reader || !isInstant(at_ms)),
    ...errors.filter(({ frame, pointer }) => frame < 0 || !POINTER.test(pointer)),
  ]
  if (wrong.length > 0) throw new Error(`not well-formed: ${JSON.stringify(wrong)}`)
  if (
    isDeadLetter &&
    (reads.length > 0 || health.length > 0 || (errors.length === 0 && refusal === undefined))
  )
    throw new Error('a dead letter that has reads or health reports, or no reason')
  // PostgreSQL refuses NUL and lone surrogates in text and jsonb.
  if (/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(decoded))) throw new Error('cannot be stored')
}

/** Decodes one message in every format; in format `mapping` with every mapping and with none. */
export function decodeWithAll(bytes: Uint8Array): void {
  for (const format of readerFormats) {
    const contexts: DecodeContext[] = mappings.map((mapping) => Object.assign({ mapping }, context))
    for (const given of format === 'mapping' ? contexts : [context]) {
      const decoded = decoderFor(format)?.(bytes, given)
      if (decoded === undefined) throw new Error(`no decoder for ${format}`)
      checkDecoded(decoded)
    }
  }
}

/** The report of a failing run, with its smallest message; undefined if the property holds. */
export const counterexample = <T>(property: fc.IProperty<T>, numRuns: number) =>
  fc.defaultReportMessage(fc.check(property, { numRuns }))

/** A value that no device should send in any field. */
export const oddity = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    0, -1, 1e308, 5e-324, '', ' ', '\0', '\ud800', 'N/A', '1e999', 'GMT', '+08', '2026-03-01 02:30:00', [], {}, null,
  ), // oxfmt-ignore
)

const documents = messages.flatMap((message): unknown[] => {
  try {
    return [JSON.parse(message.toString())]
  } catch {
    return [] // several frames, or broken on purpose
  }
})

/** The text of a fixture with about one value in ten replaced. */
export function mutatedText(by: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const choices = fc.infiniteStream(
    fc.record({ replace: fc.integer({ min: 0, max: 9 }).map((n) => n === 0), by }),
  )
  return fc
    .tuple(fc.constantFrom(...documents), choices)
    .map(([document, stream]) => textOf(replaceSome(document, () => stream.next().value)))
}

/** JSON; the empty text for undefined. */
export const textOf = (value: unknown): string => JSON.stringify(value) ?? ''

function replaceSome(value: unknown, pick: () => { replace: boolean; by: unknown }): unknown {
  const { replace, by } = pick()
  if (replace) return by
  if (Array.isArray(value)) return value.map((item: unknown) => replaceSome(item, pick))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceSome(member, pick)]))
}
