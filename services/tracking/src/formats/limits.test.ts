import { readerFormats } from '@whereabouts/contracts/resources/tracking/readers'
import { expect, test } from 'vitest'
import {
  contextOf,
  decode,
  listFixtures,
  readFixture,
  RECEIVED_AT_MS,
} from '../../test/formats/format-testing.ts'
import { decoderFor } from './formats.ts'
import { MAX_MESSAGE_BYTES } from '@whereabouts/contracts/resources/tracking/scans'
import { limited, MAX_READS, refused } from './limits.ts'

const context = { reader: 'r1', received_at_ms: RECEIVED_AT_MS }

/** By format, the smallest message with this many reads. */
const listOf = (reads: number, item: string) => Array.from({ length: reads }, () => item).join()
const manyReads: Record<(typeof readerFormats)[number], (reads: number) => string> = {
  canonical: (reads) => `{"reads":[${listOf(reads, '{"tag":{"type":"barcode","value":"1"}}')}]}`,
  impinj: (reads) => `{"tag_reads":[${listOf(reads, '{"epc":"ABCD"}')}]}`,
  zebra: (reads) => `{"data":{"tagData":[${listOf(reads, '{"EPC":"ABCD"}')}]}}`,
  csl: (reads) => `{"tags":[${listOf(reads, '{"epc":"ABCD"}')}]}`,
  moko: (reads) => `{"msg_id":3070,"data":[${listOf(reads, '{"mac":"AC233FA0B0C1"}')}]}`,
  minew: (reads) => `[${listOf(reads, '{"mac":"AC233FA0B0C1"}')}]`,
  'gl-s10': (reads) => `{"dev_list":[${listOf(reads, '{"mac":"AC233FA0B0C1"}')}]}`,
  kkm: (reads) =>
    `{"pkt_type":"scan_report","data":{"dev_infos":[${listOf(reads, '{"addr":"AC233FA0B0C1"}')}]}}`,
  mapping: (reads) => `[${listOf(reads, '"ABCD"')}]`,
}
const mapping = { reads: '', tag: '', tag_type: 'rfid' } as const
const limitOf = (format: string) => (format === 'canonical' ? 1_000 : MAX_READS)

test.for(readerFormats)('%s: a message with the maximum of reads is decoded', (format) => {
  const decoded = decode(format, manyReads[format](limitOf(format)), { mapping })
  expect(decoded).toMatchObject({ isDeadLetter: false, errors: [] })
  expect(decoded.reads).toHaveLength(limitOf(format))
})

test.for(readerFormats)('%s: one more read refuses the message, and the problem counts them', (format) => {
  const max = limitOf(format)
  expect(decode(format, manyReads[format](max + 1), { mapping })).toEqual(
    refused(`too many reads: ${max + 1}, at most ${max} a message`),
  )
})

test('reads of several frames are counted together', () => {
  const frame = manyReads.canonical(600)
  expect(decode('canonical', `${frame}\n${frame}`).refusal).toBe(
    'too many reads: 1200, at most 1000 a message',
  )
})

test('far beyond the limit, counting stops', () => {
  expect(decode('mapping', manyReads.mapping(30_000), { mapping }).refusal).toBe(
    'too many reads: over 15000, at most 10000 a message',
  )
})

test('a format without its own limit has the common one', () => {
  const read = decode('csl', manyReads.csl(1)).reads[0]
  if (!read) throw new Error('no read')
  const careless = limited(() => ({
    ...refused(''),
    isDeadLetter: false,
    reads: Array.from({ length: 12_000 }, () => read),
  }))
  expect(careless(Buffer.from('x'), context).refusal).toBe('too many reads: 12000, at most 10000 a message')
})

test.for(readerFormats)('%s: a message over 256 KiB is refused before it is parsed', (format) => {
  const message = `${' '.repeat(MAX_MESSAGE_BYTES)}{`
  expect(decode(format, message, { mapping }).refusal).toBe(
    'the message is too long: 262145 bytes, at most 262144',
  )
  expect(decode(format, message.slice(1), { mapping }).refusal).toBeUndefined()
})

test('a message of more than 50 000 errors is refused', () => {
  const list = (items: number) => `[${Array.from({ length: items }, () => 0).join()}]`
  expect(decode('minew', list(50_001)).refusal).toBe('too many errors: at most 50000 a message')
  expect(decode('minew', list(50_000)).refusal).toBeUndefined()
})

test('a message of more than 10 000 JSON values is refused', () => {
  expect(decode('minew', '{}'.repeat(10_001)).refusal).toBe('too many JSON texts: at most 10000 a message')
  expect(decode('minew', '[]\n'.repeat(10_000)).refusal).toBeUndefined()
})

test('every fixture is far below the limits', () => {
  for (const fixture of listFixtures()) {
    const decoded = decoderFor(fixture.format)?.(readFixture(fixture), contextOf(fixture))
    expect(decoded?.refusal).toBeUndefined()
    expect(decoded?.reads.length).toBeLessThan(100)
  }
})
