import { readerFormats } from '@whereabouts/contracts/resources/tracking/readers'
import { describe, expect, test } from 'vitest'
import type { DecodeContext, DecodeError, HealthEvent, NeutralRead } from './decoder.ts'
import { decoderFor } from './formats.ts'
import {
  contextOf,
  type GoldenHealth,
  type GoldenRead,
  listFixtures,
  readFixture,
} from '../../test/formats/format-testing.ts'

const fixtures = listFixtures().flatMap((fixture) => {
  const decode = decoderFor(fixture.format)
  return decode === undefined ? [] : [{ ...fixture, decode }]
})

const instant = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

function goldenRead({ read_at_ms, ...read }: NeutralRead, { reader, received_at_ms }: DecodeContext) {
  return { ...read, reader, read_at: instant(read_at_ms), received_at: instant(received_at_ms) }
}

function goldenHealth({ at_ms, received_at_ms, ...event }: HealthEvent) {
  return { ...event, at: instant(at_ms), received_at: instant(received_at_ms) }
}

/** Exact, except for the rounding of the signal strength and more members in `extra` than listed. */
const likeRead = ({ extra, rssi_dbm, ...read }: GoldenRead) => ({
  ...read,
  rssi_dbm: rssi_dbm === null ? null : expect.closeTo(rssi_dbm, 2),
  ...(extra === undefined ? {} : { extra: expect.objectContaining(likeExtra(extra)) }),
})
const likeExtra = ({ ibeacon, ...extra }: NonNullable<GoldenRead['extra']>) =>
  ibeacon === undefined ? extra : { ...extra, ibeacon: expect.objectContaining(ibeacon) }
const withoutUnlisted = (read: ReturnType<typeof goldenRead>, wanted: GoldenRead | undefined) => {
  const { extra: _, ...bare } = read
  return wanted !== undefined && wanted.extra === undefined ? bare : read
}
const likeHealth = (event: GoldenHealth) => ({ ...event, detail: expect.objectContaining(event.detail) })

const inOrder = <T extends { kind: string; at: string | null }>(events: T[]) =>
  events.toSorted((a, b) => `${a.kind} ${a.at}`.localeCompare(`${b.kind} ${b.at}`))
const sorted = (errors: DecodeError[]) =>
  errors.map(({ frame, pointer, code }) => `${frame} ${pointer} ${code}`).toSorted()

describe.for(fixtures)('$format: $file', (fixture) => {
  const context = contextOf(fixture)
  const decoded = fixture.decode(readFixture(fixture), context)

  test('gives the expected reads in order', () => {
    const reads = decoded.reads.map((read, index) =>
      withoutUnlisted(goldenRead(read, context), fixture.reads[index]),
    )
    expect(reads).toEqual(fixture.reads.map(likeRead))
  })

  test('gives the expected health events', () => {
    expect(inOrder(decoded.health.map(goldenHealth))).toEqual(inOrder(fixture.health).map(likeHealth))
  })

  test('gives the expected errors, identity and verdict', () => {
    expect(sorted(decoded.errors)).toEqual(sorted(fixture.errors))
    expect(decoded).toMatchObject({
      identity: fixture.identity,
      isDeadLetter: fixture.is_dead_letter,
      errors_omitted: 0,
    })
  })
})

test('every fixture has a decoder, and every format of the contract has both', () => {
  expect(fixtures).toHaveLength(listFixtures().length)
  expect(new Set(fixtures.map(({ format }) => format))).toEqual(new Set(readerFormats))
})

test('a name that is not a format has no decoder, not even an inherited member such as `constructor`', () => {
  for (const name of ['', 'unknown', 'constructor', '__proto__', 'Canonical']) {
    expect(decoderFor(name)).toBeUndefined()
  }
})
