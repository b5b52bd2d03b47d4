import { MAX_MESSAGE_BYTES } from '@whereabouts/contracts/resources/tracking/scans'
import { readerFormats } from '@whereabouts/contracts/resources/tracking/readers'
import { limits, SEED } from '@whereabouts/testing/fuzz'
import { expect, test } from 'vitest'
import { checkDecoded, context } from '../../test/formats/decoder-properties.ts'
import { contextOf, listFixtures, readFixture } from '../../test/formats/format-testing.ts'
import type { DecodeContext } from './decoder.ts'
import { decoderFor } from './formats.ts'

// fast-check makes some thousand messages a second. These changes make a hundred thousand, for `pnpm fuzz --times 100`.

/** Milliseconds that no message may take. */
const LONGEST_MS = 50

const samples = listFixtures().map((fixture) => ({
  bytes: readFixture(fixture),
  format: fixture.format,
  settings: { ...contextOf(fixture), ...context },
}))
const ODDITIES = ['null', '0', '-1', '1e999', '""', '"0x"', '[]', '{}', '[[', '"\\ud800"', '"\\u0000"', '"urn:epc:id:sgtin:0614141.812345.6789"', '99999999999999999999', '"2026-03-01 02:30:00"'].map((text) => Buffer.from(text)) // oxfmt-ignore

/** Mulberry32: numbers from 0 to `below`, the same for the same seed. */
function randomOf(seed: number) {
  let state = seed >>> 0
  return (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
const random = randomOf(SEED)
const oneOf = <T>(list: readonly T[]): T => list[random(list.length)] as T

/** A part of a message: where it starts, and its bytes. */
function slice(bytes: Buffer, longest: number): { at: number; part: Buffer } {
  const at = random(bytes.length + 1)
  return { at, part: bytes.subarray(at, at + random(longest)) }
}

/** A byte replaced, a part removed, repeated, or taken from another message, or a value that no device should send. */
function changed(bytes: Buffer): Buffer {
  const { at, part } = slice(bytes, 40)
  const [before, after, rest] = [bytes.subarray(0, at), bytes.subarray(at), bytes.subarray(at + part.length)]
  switch (random(5)) {
    case 0:
      return Buffer.concat([before, Buffer.of(random(256)), after.subarray(1)])
    case 1:
      return Buffer.concat([before, rest])
    case 2:
      return Buffer.concat([before, part, after])
    case 3:
      return Buffer.concat([before, slice(oneOf(samples).bytes, 200).part, after])
    default: {
      const colon = bytes.indexOf(0x3a, at) + 1
      const end = bytes.subarray(colon).findIndex((byte) => byte === 0x2c || byte === 0x7d || byte === 0x5d)
      return Buffer.concat([
        bytes.subarray(0, colon),
        oneOf(ODDITIES),
        bytes.subarray(colon + Math.max(end, 0)),
      ])
    }
  }
}

/** A part of a message as often as a message may be long. */
function blownUp(bytes: Buffer): Buffer {
  const { at, part } = slice(bytes, 400)
  const times = part.length === 0 ? 0 : Math.floor((MAX_MESSAGE_BYTES - bytes.length) / part.length)
  return Buffer.concat([
    bytes.subarray(0, at),
    ...Array.from({ length: times }, () => part),
    bytes.subarray(at),
  ])
}

function decode(bytes: Buffer, format: string, settings: DecodeContext): number {
  const before = process.threadCpuUsage()
  const decoded = decoderFor(format)?.(bytes, settings)
  const { user, system } = process.threadCpuUsage(before)
  if (!decoded) throw new Error(`no decoder for ${format}`)
  checkDecoded(decoded)
  return (user + system) / 1000
}

/** The shortest of some runs, because the collection of garbage may have taken the time. */
const leastMs = (...input: Parameters<typeof decode>) =>
  Math.min(...Array.from({ length: 5 }, () => decode(...input)))

test(
  'changed messages never throw, give a well-formed result, and none takes long',
  { timeout: 1_800_000 },
  () => {
    const { numRuns } = limits(20_000)
    const slow: { ms: number; format: string; bytes: number }[] = []
    let longest = 0
    for (let run = 0; run < numRuns; run += 1) {
      const { bytes: sample, format: own, settings } = oneOf(samples)
      let bytes = sample
      for (let edits = random(4) + 1; edits > 0; edits -= 1) bytes = changed(bytes)
      if (random(2_000) === 0) bytes = blownUp(bytes)
      const format = random(5) === 0 ? oneOf(readerFormats) : own
      const first = decode(bytes, format, settings)
      const ms = first > LONGEST_MS / 2 ? leastMs(bytes, format, settings) : first
      longest = Math.max(longest, ms)
      if (ms > LONGEST_MS) slow.push({ ms, format, bytes: bytes.length })
    }
    process.stdout.write(`${numRuns} changed messages, the longest took ${longest.toFixed(1)} ms\n`)
    expect(slow).toEqual([])
  },
)
