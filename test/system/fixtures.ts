import { readFileSync } from 'node:fs'
import type { Tag } from './organization.ts'

const folder = new URL('../fixtures/readers/', import.meta.url)

type Read = { tag_type: Tag['tag_type']; tag_value: string; antenna: number; extra?: { location?: string } }
export type Fixture = {
  file: string
  format: string
  /** The settings of the reader, and the levels of the topic after the format. */
  context: { timezone?: string; topic?: string[]; mapping?: object }
  is_dead_letter: boolean
  reads: Read[]
  errors: object[]
}

/** The captured and documented messages of real readers, with the reads in them. */
const fixtures: Fixture[] = (
  JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')) as { fixtures: Fixture[] }
).fixtures

export const fixtureBytes = (file: string): Uint8Array => readFileSync(new URL(file, folder))

export const fixturesOf = (format: string) => fixtures.filter((fixture) => fixture.format === format)

/** Every tag that the fixtures of a format read, once. */
export function tagsOf(format: string): Tag[] {
  const tags = fixturesOf(format).flatMap(({ reads }) =>
    reads.map((r) => ({ tag_type: r.tag_type, value: r.tag_value })),
  )
  return [...new Map(tags.map((tag) => [`${tag.tag_type} ${tag.value}`, tag])).values()]
}

/** Messages with a read that can be placed: an impossible antenna has no location. */
export const fixturesWithReads = (): Fixture[] =>
  fixtures.filter(
    ({ reads, errors }) =>
      reads.length > 0 && !errors.some((error) => JSON.stringify(error).includes('/antennaPort')),
  )
