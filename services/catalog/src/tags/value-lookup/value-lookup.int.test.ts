import type { LookupRow } from '@whereabouts/contracts/resources/catalog/lookup'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'

async function lookUp(
  catalog: Catalog,
  values: readonly string[],
  org = catalog.orgId,
): Promise<LookupRow[]> {
  const res = await catalog.post('/lookup', { values }, { org })
  expect(res.statusCode, res.body).toBe(200)
  return res.json<{ data: LookupRow[] }>().data
}

/** `name by key` or `name by rfid AB 12` of each match. */
const shown = ({ matches }: LookupRow) =>
  matches.map(({ name, tag }) => `${name} by ${tag ? `${tag.tag_type} ${tag.value}` : 'key'}`)

const rfid = (value: string) => ({ tag_type: 'rfid' as const, value })
const ble = (value: string) => ({ tag_type: 'ble' as const, value })
const barcode = (value: string) => ({ tag_type: 'barcode' as const, value })

const HEX = '3074257BF7194E4000001A85'
const OTHER_FILTER = '3034257BF7194E4000001A85'
const TAG = 'urn:epc:tag:sgtin-96:3.0614141.812345.6789'
const PURE = 'urn:epc:id:sgtin:0614141.812345.6789'

describe('POST /lookup', () => {
  test('finds assets and locations by key and by tag, in the order of the request', async ({ catalog }) => {
    const box = await catalog.asset({
      name: 'Box',
      external_key: 'BOX-1',
      tags: [rfid('E2 80'), barcode('Box-001')],
    })
    const dock = await catalog.location({ name: 'Dock', external_key: 'DOCK', tags: [ble('AA:BB')] })
    const values = ['none', 'Box-001', 'DOCK', 'e280', 'BOX-1', 'aabb', 'BOX-1']
    const found = await lookUp(catalog, values)
    expect(found.map(({ value }) => value)).toEqual(values)
    expect(found.map(shown)).toEqual([
      [],
      ['Box by barcode Box-001'],
      ['Dock by key'],
      ['Box by rfid E2 80'],
      ['Box by key'],
      ['Dock by ble AA:BB'],
      ['Box by key'],
    ])
    expect(found[1]?.matches).toEqual([
      { type: 'asset', id: box.id, external_key: 'BOX-1', name: 'Box', tag: barcode('Box-001') },
    ])
    expect(found[2]?.matches).toEqual([
      { type: 'location', id: dock.id, external_key: 'DOCK', name: 'Dock', tag: null },
    ])
  })

  test('D6.5 compares tags as reads are: similar rfid and ble values, equal barcodes and keys', async ({
    catalog,
  }) => {
    await catalog.asset({ name: 'One', external_key: 'Key-1', tags: [rfid('ab-12'), barcode('Bar-1')] })
    expect(
      (await lookUp(catalog, ['AB12', ' a:b 12 ', 'BAR-1', 'Bar1', 'key-1', 'Bar-1'])).map(shown),
    ).toEqual([['One by rfid ab-12'], ['One by rfid ab-12'], [], [], [], ['One by barcode Bar-1']])
  })

  test('D16.5 of all spellings of a code the exact one counts, otherwise the oldest', async ({ catalog }) => {
    await catalog.asset({ name: 'Pure', tags: [rfid(PURE)] })
    await catalog.asset({ name: 'Hex', tags: [rfid(HEX)] })
    await catalog.asset({ name: 'Barcode', tags: [barcode(HEX)] })
    const found = await lookUp(catalog, [HEX, PURE, `0x${HEX}`, TAG, OTHER_FILTER])
    expect(found.map(shown)).toEqual([
      [`Hex by rfid ${HEX}`, `Barcode by barcode ${HEX}`],
      [`Pure by rfid ${PURE}`],
      [`Pure by rfid ${PURE}`],
      [`Pure by rfid ${PURE}`],
      [`Pure by rfid ${PURE}`],
    ])
    expect(found[0]?.matches.map(({ tag }) => tag?.epc?.uri)).toEqual([TAG, undefined])
  })

  test('D6.5 of similar tags of one type the exact one counts, otherwise the oldest', async ({ catalog }) => {
    await catalog.asset({ name: 'Oldest', tags: [rfid('ab 12')] })
    await catalog.asset({ name: 'Exact', tags: [rfid('AB-12')] })
    await catalog.asset({ name: 'Newest', tags: [rfid('ab12')] })
    expect((await lookUp(catalog, ['AB-12', 'Ab12', 'ab12'])).map(shown)).toEqual([
      ['Exact by rfid AB-12'],
      ['Oldest by rfid ab 12'],
      ['Newest by rfid ab12'],
    ])
  })

  test('an ambiguous value has all its matches: keys first, then exact tags, then similar ones', async ({
    catalog,
  }) => {
    await catalog.asset({ name: 'Similar', tags: [ble('t 1')] })
    await catalog.location({ name: 'Exact', tags: [rfid('T1')] })
    await catalog.location({ name: 'Place', external_key: 'T1' })
    await catalog.asset({ name: 'Asset', external_key: 'T1' })
    const [row] = await lookUp(catalog, ['T1'])
    expect(row && shown(row)).toEqual([
      'Asset by key',
      'Place by key',
      'Exact by rfid T1',
      'Similar by ble t 1',
    ])
  })

  test('a thing that a value names twice is there once, by its key', async ({ catalog }) => {
    await catalog.asset({ name: 'One', external_key: 'T1', tags: [rfid('T1'), barcode('T1')] })
    await catalog.asset({ name: 'Two', tags: [rfid('T2'), ble('t-2')] })
    expect((await lookUp(catalog, ['T1', 'T2'])).map(shown)).toEqual([['One by key'], ['Two by rfid T2']])
  })

  test('D7.1 finds what lists hide, but nothing that is deleted or detached', async ({ catalog }) => {
    const window = { valid_from: '2020-01-01T00:00:00Z', valid_to: '2021-01-01T00:00:00Z', is_active: false }
    await catalog.asset({ name: 'Expired', external_key: 'OLD', ...window })
    const gone = await catalog.asset({ external_key: 'GONE', tags: [barcode('gone')] })
    const place = await catalog.location({ external_key: 'PLACE', tags: [barcode('place')] })
    const { id, tags } = await catalog.asset({ tags: [barcode('detached')] })
    for (const path of [`/assets/${gone.id}`, `/locations/${place.id}`, `/assets/${id}/tags/${tags[0]?.id}`])
      await catalog.delete(path)
    const values = ['OLD', 'GONE', 'gone', 'PLACE', 'place', 'detached']
    expect((await lookUp(catalog, values)).map(shown)).toEqual([['Expired by key'], [], [], [], [], []])
  })

  test("does not find another organization's things", async ({ catalog, otherOrg }) => {
    const of = { external_key: 'SAME', tags: [rfid('same'), barcode('same')] }
    await catalog.asset({ ...of, name: 'Theirs' }, { org: otherOrg })
    await catalog.location({ external_key: 'PLACE', tags: [ble('place')] }, { org: otherOrg })
    const values = ['SAME', 'same', 'PLACE', 'place']
    expect((await lookUp(catalog, values)).map(shown)).toEqual([[], [], [], []])
    await catalog.asset({ ...of, name: 'Ours' })
    expect((await lookUp(catalog, ['SAME'])).map(shown)).toEqual([['Ours by key']])
  })

  test('takes 200 values of 1 to 255 characters', async ({ catalog }) => {
    await catalog.asset({ name: 'Last', tags: [barcode('📦'.repeat(255))] })
    const values = Array.from({ length: 199 }, (_, i) => `V-${i}`)
    const found = await lookUp(catalog, [...values, '📦'.repeat(255)])
    expect(found.filter(({ matches }) => matches.length > 0).map(shown)).toEqual([
      [`Last by barcode ${'📦'.repeat(255)}`],
    ])
    const codes = async (sent: unknown) =>
      (await catalog.post('/lookup', sent)).json().error.fields.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`) // oxfmt-ignore
    expect(await codes({})).toEqual(['values required'])
    expect(await codes({ values: [] })).toEqual(['values too_short'])
    expect(await codes({ values: [...values, 'a', 'b'] })).toEqual(['values too_long'])
    expect(await codes({ values: ['a', '', 'x'.repeat(256), 5, 'a\u0000', '\ud800'] })).toEqual([
      'values[1] too_short',
      'values[2] too_long',
      'values[3] invalid_value',
      'values[4] invalid_value',
      'values[5] invalid_value',
    ])
  })
})
