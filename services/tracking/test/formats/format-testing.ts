/** For the tests of the decoders: recorded messages of real devices with their expected results, and helpers. */
import { readFileSync } from 'node:fs'
import { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import type {
  DecodeContext,
  DecodeError,
  Decoded,
  HealthEvent,
  NeutralRead,
} from '../../src/formats/decoder.ts'
import { decoderFor } from '../../src/formats/formats.ts'

export type GoldenRead = Omit<NeutralRead, 'read_at_ms'> & {
  reader: string
  read_at: string | null
  received_at: string
}
export type GoldenHealth = Omit<HealthEvent, 'at_ms' | 'received_at_ms'> & {
  at: string | null
  received_at: string
}
type Fixture = {
  file: string
  format: string
  frames: number
  context: { reader: string; received_at: string; timezone?: string; topic?: string[]; mapping?: unknown }
  identity: string | null
  is_dead_letter: boolean
  reads: GoldenRead[]
  health: GoldenHealth[]
  errors: DecodeError[]
}

const folder = new URL('../../../../test/fixtures/readers/', import.meta.url)

/** The index of the fixtures, of all formats. */
export function listFixtures(): Fixture[] {
  const golden: { fixtures: Fixture[] } = JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8'))
  return golden.fixtures
}

/** The message as received. */
export function readFixture({ file }: Fixture): Buffer {
  return readFileSync(new URL(file, folder))
}

/** The context that ingest would pass. The API has accepted the mapping. */
export function contextOf({
  context: { reader, received_at, timezone, topic, mapping },
}: Fixture): DecodeContext {
  return {
    reader,
    received_at_ms: Date.parse(received_at),
    timezone,
    topic,
    mapping: mapping === undefined ? undefined : ReaderMapping.parse(mapping),
  }
}

export const RECEIVED_AT_MS = Date.parse('2026-03-01T10:00:05.000Z')
/** A second before receipt. */
export const CURRENT = '2026-03-01T10:00:04.000Z'

/** Decodes a message received at RECEIVED_AT_MS: a text unchanged, any other value as JSON. */
export function decode(
  format: string,
  message: unknown,
  settings: Pick<DecodeContext, 'timezone' | 'time_source' | 'mapping' | 'topic'> = {},
): Decoded {
  const bytes = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message))
  const decoded = decoderFor(format)?.(bytes, { reader: 'r1', received_at_ms: RECEIVED_AT_MS, ...settings })
  if (decoded === undefined) throw new Error(`no decoder for ${format}`)
  return decoded
}

/** `code pointer` of each error. */
export const errorsOf = ({ errors }: Decoded) => errors.map(({ code, pointer }) => `${code} ${pointer}`)
