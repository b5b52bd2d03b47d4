import { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import { readerPresets } from '@whereabouts/contracts/resources/tracking/reader-presets'
import { describe, expect, test } from 'vitest'
import { contextOf, listFixtures, readFixture } from '../../test/formats/format-testing.ts'
import { decoderFor } from './formats.ts'

const fixtures = listFixtures().filter(({ file }) => file.startsWith('preset-'))

describe.for(readerPresets)('preset $id', (preset) => {
  const own = fixtures.filter(({ context }) => context.reader === preset.id)

  test('is a mapping that the API accepts, and that of its fixtures', () => {
    expect(ReaderMapping.parse(preset.mapping)).toEqual(preset.mapping)
    for (const { context } of own) expect(context.mapping).toEqual(preset.mapping)
  })

  test('reads a documented message to its end', () => {
    const reads = own.flatMap((fixture) => {
      const decoded = decoderFor('mapping')?.(readFixture(fixture), contextOf(fixture))
      expect(decoded).toMatchObject({ errors: [], isDeadLetter: false })
      return decoded?.reads.map((read) => read.tag_value) ?? []
    })
    expect(reads).not.toEqual([])
    expect(reads).toEqual(own.flatMap((fixture) => fixture.reads.map((read) => read.tag_value)))
  })
})

test('every fixture of a preset names one', () => {
  const ids = readerPresets.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(fixtures.map(({ context }) => context.reader))).toEqual(new Set(ids))
})
