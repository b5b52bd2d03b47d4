import { AssetCreate, AssetPatch } from '@whereabouts/contracts/resources/catalog/assets'
import type { ImportColumn } from '@whereabouts/contracts/resources/catalog/imports'
import { InventorySave } from '@whereabouts/contracts/resources/tracking/inventory'
import { LegacyAssetUpdate } from '@whereabouts/contracts/legacy/assets'
import { LocationCreate } from '@whereabouts/contracts/resources/catalog/locations'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { decodeForm, decodeJsonObject } from '@whereabouts/service-kit/http/request-body'
import { mapInSlices } from '@whereabouts/service-kit/limits/slices'
import { parsePart } from '@whereabouts/service-kit/http/validate'
import { longestSliceMs, MAX_SLICE_MS } from '@whereabouts/testing/longest-slice'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { readHeader } from '../src/bulk/imports/file/columns.ts'
import { readCsv } from '../src/bulk/imports/file/csv.ts'
import { readRow } from '../src/bulk/imports/file/row-input.ts'

const MIB = 1024 * 1024
const fill = (unit: string, length: number) => unit.repeat(Math.floor(length / unit.length))

/** Runs `work`. A refusal is fine; any other error is a bug. */
async function refusable(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

const longest = (work: () => unknown): Promise<number> => longestSliceMs(() => refusable(work), MAX_SLICE_MS)

describe('S2 no CSV file blocks the event loop', () => {
  /** In chunks like those of a socket. */
  async function* arriving(bytes: Buffer): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
  }

  async function upload(bytes: Buffer): Promise<void> {
    const { header, rows } = await readCsv(arriving(bytes))
    readHeader('assets', header)
    for await (const row of rows) if (row.cells.length > 1_000) throw new Error('a row has too many cells')
  }

  const wide = Array.from({ length: 4_000 }, (_, i) => `ble,x${i}`).join()
  test.for([
    ...[64 * 1024, 128 * 1024, 16 * MIB].map((length) => ({ name: `${length} a`, text: fill('a', length) })),
    { name: '64 KiB in one line', text: `${fill('a', 65_535)}\n` },
    { name: '128 KiB of cells in one line', text: fill('a,', 128 * 1024) },
    { name: 'white space', text: fill(' ', 16 * MIB) },
    { name: 'line ends', text: fill('\n', 16 * MIB) },
    { name: 'CR', text: fill('\r', 4 * MIB) },
    { name: 'commas', text: fill(',', 16 * MIB) },
    { name: 'quotes', text: fill('"', 4 * MIB) },
    { name: 'a quoted cell without an end', text: `name\n"${fill('a', 4 * MIB)}` },
    { name: 'a quoted cell of line ends', text: `name\n"${fill('\r\n', MIB - 16)}"\n` },
    { name: 'a quoted cell of quotes', text: `name\n"${fill('""', MIB)}"\n` },
    { name: 'NUL', text: fill('\0', 4 * MIB) },
    { name: 'short rows', text: `name\n${fill('a\n', 2 * MIB)}` },
    { name: 'rows of empty cells', text: `name,type\n${fill(',\n', 2 * MIB)}` },
    { name: 'rows with too few cells', text: `name,type\n${fill('a\n', 2 * MIB)}` },
    { name: 'a wide header', text: `${wide}\n` },
    { name: 'a header of known names', text: `${fill('name,', 64 * 1024)}\n` },
  ])('$name', async ({ text }) => {
    expect(await longest(() => upload(Buffer.from(text)))).toBeLessThan(MAX_SLICE_MS)
  })

  test('bytes that are not UTF-8', async () => {
    expect(await longest(() => upload(Buffer.alloc(4 * MIB, 0xff)))).toBeLessThan(MAX_SLICE_MS)
    expect(
      await longest(() => upload(Buffer.concat([Buffer.from(fill('a\n', 65_000)), Buffer.from([0xff])]))),
    ).toBeLessThan(MAX_SLICE_MS)
  })
})

describe('no row of an import blocks the event loop', () => {
  const columns: ImportColumn[] = ['name', 'metadata', 'rfid']
  const row = (cells: string[]) => ({ line: 2, cells })
  const distinct = Array.from({ length: 40_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('|')

  test.for([
    { name: 'a name', cells: [fill('a', MIB)] },
    { name: 'apostrophes', cells: [fill("'", MIB)] },
    { name: 'metadata of brackets', cells: ['x', fill('[', MIB)] },
    { name: 'nested metadata', cells: ['x', `${fill('{"a":', 600_000)}0${fill('}', 120_000)}`] },
    { name: 'metadata of many names', cells: ['x', `{${Array.from({ length: 90_000 }, (_, i) => `"${i}":0`).join()}}`] },
    { name: 'metadata of many values', cells: ['x', `{"a":[${fill('0,', MIB - 20)}0]}`] },
    { name: 'metadata of large integers', cells: ['x', `{"a":[${fill('9007199254740993,', MIB - 20)}0]}`] },
    { name: 'metadata of escapes', cells: ['x', `{"a":"${fill('\\\\', MIB - 20)}"}`] },
    { name: 'tags of bars', cells: ['x', '', fill('|', MIB)] },
    { name: 'tags of backslashes', cells: ['x', '', fill('\\', MIB)] },
    { name: 'tags of backslashes within the limit', cells: ['x', '', fill('\\', 256 * 1024)] },
    { name: 'many tags', cells: ['x', '', distinct] },
  ])('$name', async ({ cells }) => {
    expect(await longest(() => readRow('assets', columns, row(cells)))).toBeLessThan(MAX_SLICE_MS)
  }) // oxfmt-ignore

  test('many rows', async () => {
    const tags = Array.from({ length: 200 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('|')
    const rows = Array.from({ length: 250 }, () => row(['x', `{"a":"${fill('x', 8_000)}"}`, tags]))
    expect(await longest(() => mapInSlices(rows, (one) => readRow('assets', columns, one)))).toBeLessThan(
      MAX_SLICE_MS,
    )
  })
})

describe('no request body blocks the event loop', () => {
  const listOf = (item: string, length = MIB - 200) => `[${fill(`${item},`, length)}${item}]`
  const members = (name: (i: number) => string) => {
    const parts: string[] = []
    for (let length = 0, i = 0; length < MIB - 200; i += 1) length += parts[parts.push(`${name(i)}:0`) - 1]!.length + 1
    return `{${parts.join()}}`
  } // oxfmt-ignore
  const names = members((i) => `"${i.toString(36)}"`)

  const metadata = [
    names,
    `{"a":${listOf('0')}}`,
    `{"a":${listOf('{}')}}`,
    `{"a":${listOf('[]')}}`,
    `{"a":${listOf('1e308')}}`,
    `{"a":${listOf('1e999')}}`,
    `{"a":${listOf('9007199254740993')}}`,
    `{"a":${fill('9', MIB - 200)}}`,
    `{"a":"${fill('\\\\', MIB - 200)}"}`,
    `{"a":"${fill('\\u0000', MIB - 200)}"}`,
    `${fill('{"a":', 800_000)}0${fill('}', 160_000)}`,
    `{"a":${fill('[', 500_000)}${fill(']', 500_000)}}`,
    `{"a":${fill(`${fill('[', 900)}${fill(']', 900)},`, MIB - 2_000)}0}`,
    members(() => '"__proto__"'),
  ]
  const named = (text: string) => `{"name":"x","metadata":${text}}`
  const tags = ['0', '{}', '{"a":0}', '{"id":1}', '{"tag_type":"rfid","value":"1"}', names].map(
    (tag) => `{"name":"x","tags":${listOf(tag)}}`,
  )
  const bodies = [
    ...metadata.map(named),
    ...tags,
    names,
    `{"${fill('a', MIB - 10)}":0}`,
    members(() => '"a"'),
    `{"name":"${fill('a', MIB - 20)}"}`,
    `{"name":"${fill('\\ud800', MIB - 20)}"}`,
    fill('[', MIB),
    fill('{"a":', MIB),
    fill('"', MIB),
    fill('9', MIB),
    fill(' ', MIB),
  ].map((text) => [text.slice(0, 40), text.length, text] as const)

  const schemas: Record<string, z.ZodType> = { AssetCreate, AssetPatch, LegacyAssetUpdate, LocationCreate }
  describe.for(Object.entries(schemas))('%s', ([, schema]) => {
    test.for(bodies)('%s… (%i bytes)', async ([, , text]) => {
      const bytes = Buffer.from(text)
      expect(await longest(() => parsePart(schema, decodeJsonObject(bytes), 'body'))).toBeLessThan(
        MAX_SLICE_MS,
      )
    })
  })

  const keys = Array.from({ length: 10_000 }, (_, i) => `"ASSET-${i}-${fill('x', 80)}"`).join()
  test.for([listOf('0'), listOf('""'), listOf('"a"'), listOf('"!"'), `[${keys}]`])('InventorySave of %s', async (list) => {
    const bytes = Buffer.from(`{"asset_identifiers":${list},"location_identifier":"a"}`)
    expect(await longest(() => parsePart(InventorySave, decodeJsonObject(bytes), 'body'))).toBeLessThan(MAX_SLICE_MS)
  }) // oxfmt-ignore

  test('a form of many fields', async () => {
    expect(await longest(() => decodeForm(Buffer.from(fill('a=1&', MIB))))).toBeLessThan(MAX_SLICE_MS)
    expect(await longest(() => decodeForm(Buffer.from(fill('&', MIB))))).toBeLessThan(MAX_SLICE_MS)
  })
})
