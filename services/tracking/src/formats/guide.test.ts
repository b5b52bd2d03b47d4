import { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import { readerPresets } from '@whereabouts/contracts/resources/tracking/reader-presets'
import { readerFormats } from '@whereabouts/contracts/resources/tracking/readers'
import { globSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { listFixtures, readFixture } from '../../test/formats/format-testing.ts'
import { decoderFor } from './formats.ts'

const docs = new URL('../../../../docs/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, docs), 'utf8')
const pages = globSync('readers/*.md', { cwd: docs }).map((file) => {
  const text = read(file)
  const json = Array.from(text.matchAll(/^```json\n([^]*?)^```$/gm), ([, code = '']): unknown =>
    JSON.parse(code),
  )
  return { file, text, json }
})
const pageOf = (name: string) => pages.find(({ file }) => file === `readers/${name}.md`)

test('the guide leads to each page of a vendor', () => {
  const guide = read('readers.md')
  expect(pages.length).toBeGreaterThan(20)
  expect(pages.filter(({ file }) => !guide.includes(`](${file})`))).toEqual([])
})

test('the guide names each format that a topic may end with', () => {
  const [, named = ''] = /^- `<format>` names the decoder: ([^]*?)\. /m.exec(read('readers.md')) ?? []
  expect(named.split(/,\s+/)).toEqual(readerFormats.map((format) => `\`${format}\``))
})

test.for(readerFormats)('a page of the guide says where a device publishes in the format %s', (format) => {
  const topic = new RegExp(`/<reader>/${format}\\b`)
  expect(pages.filter(({ text }) => topic.test(text))).not.toEqual([])
})

test.for(readerPresets)('one page of the guide has the mapping of preset $id, with its source', (preset) => {
  const own = pages.filter(({ json }) => json.some((block) => isDeepStrictEqual(block, preset.mapping)))
  expect(own).toHaveLength(1)
  expect(own[0]?.text).toContain(`\`${preset.id}\``)
  expect(own[0]?.text).toContain(`[${preset.name}](${preset.source})`)
})

describe('the JSON of the pages', () => {
  const messages = listFixtures().flatMap((fixture) => {
    try {
      return [JSON.parse(readFixture(fixture).toString()) as unknown]
    } catch {
      return [] // several values, or broken on purpose
    }
  })
  const known = [...messages, ...readerPresets.map(({ mapping }) => mapping)]
  const own = new Set(['readers/canonical.md', 'readers/mapping.md'])

  test('of a vendor is a recorded message, whose meaning is tested, or the mapping of a preset', () => {
    const others = pages
      .filter(({ file }) => !own.has(file))
      .flatMap(({ file, json }) => json.map((block) => ({ file, block })))
    expect(others.length).toBeGreaterThan(30)
    expect(others.filter(({ block }) => !known.some((one) => isDeepStrictEqual(block, one)))).toEqual([])
  })

  const decode = (format: string, message: unknown, mapping?: unknown) =>
    decoderFor(format)?.(Buffer.from(JSON.stringify(message)), {
      reader: 'dock-1',
      received_at_ms: 0,
      timezone: undefined,
      topic: undefined,
      mapping: mapping === undefined ? undefined : ReaderMapping.parse(mapping),
    })

  test('of an own program is understood', () => {
    const examples = pageOf('canonical')?.json ?? []
    expect(examples).toHaveLength(2)
    for (const message of examples)
      expect(decode('canonical', message)).toMatchObject({ errors: [], reads: [{ tag_type: 'rfid' }] })
  })

  test('of any other device is a message and the mapping that reads it', () => {
    const [message, mapping] = pageOf('mapping')?.json ?? []
    expect(decode('mapping', message, mapping)).toMatchObject({
      errors: [],
      identity: 'north',
      reads: [{ tag_value: '30340242201B3C4000000061', antenna: 2, rssi_dbm: -58 }],
    })
  })
})
