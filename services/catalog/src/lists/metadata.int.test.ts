import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../test/catalog.fixture.ts'

const keys = async (catalog: Catalog, query: string) => {
  const answer = await catalog.get(`/assets?${query}`)
  if (answer.statusCode !== 200) throw new Error(answer.body)
  const { data, total_count } = answer.json()
  expect(total_count).toBe(data.length)
  return data.map(({ external_key }: { external_key: string }) => external_key).join(' ')
}

async function filled(catalog: Catalog, otherOrg: number) {
  const values = {
    TEXT: '5', NUMBER: 5, FLOAT: 5.5, TRUE: true, WORD: 'true', NULL: null, LIST: ['5'], OBJECT: { n: '5' }, ZERO: 0,
    LARGE: 1e21, SPACE: ' 5', EMPTY: '', QUOTE: '"', UMLAUT: 'Kühl', NESTED: { a: { n: '5' } },
  } // oxfmt-ignore
  for (const [external_key, n] of Object.entries(values))
    await catalog.asset({ external_key, metadata: { n, kind: typeof n } })
  await catalog.asset({ external_key: 'THEIRS', metadata: { n: '5' } }, { org: otherOrg })
  await catalog.asset({ external_key: 'NONE' })
}

describe('D12.13 lists of assets by metadata', () => {
  test('compare with texts, and with numbers and booleans as answers write them', async ({
    catalog,
    otherOrg,
  }) => {
    await filled(catalog, otherOrg)
    for (const [value, expected] of [
      ['5', 'NUMBER TEXT'],
      ['5.5', 'FLOAT'],
      ['5.0', ''],
      ['true', 'TRUE WORD'],
      ['True', ''],
      ['null', ''],
      ['0', 'ZERO'],
      ['-0', ''],
      ['1e%2B21', 'LARGE'],
      ['1000000000000000000000', ''],
      ['%205', 'SPACE'],
      ['', 'EMPTY'],
      ['%22', 'QUOTE'],
      ['K%C3%BChl', 'UMLAUT'],
      ['%7B%22n%22:%225%22%7D', ''],
      ['NaN', ''],
      ['Infinity', ''],
    ] as const)
      // oxfmt-ignore
      expect([value, await keys(catalog, `metadata.n=${value}`)]).toEqual([value, expected])
  })

  test('one name with two values is either, two names are both, with all other filters', async ({
    catalog,
    otherOrg,
  }) => {
    await filled(catalog, otherOrg)
    expect(await keys(catalog, 'metadata.n=0&metadata.n=true')).toBe('TRUE WORD ZERO')
    expect(await keys(catalog, 'metadata.n=5&metadata.kind=string')).toBe('TEXT')
    expect(await keys(catalog, 'metadata.n=5&metadata.none=x')).toBe('')
    expect(await keys(catalog, 'metadata.n=5&q=numb')).toBe('NUMBER')
    expect(await keys(catalog, 'metadata.kind=object&type=asset&is_active=true&sort=-external_key')).toBe(
      'OBJECT NULL NESTED LIST',
    )
    const { data } = (await catalog.get('/assets?external_key=TEXT')).json()
    await catalog.tag(`/assets/${data[0].id}`, { tag_type: 'rfid', value: 'E1' })
    expect(await keys(catalog, 'metadata.n=5&tag=rfid:e1')).toBe('TEXT')
    await catalog.delete(`/assets/${data[0].id}`)
    expect(await keys(catalog, 'metadata.n=5')).toBe('NUMBER')
    expect(await keys(catalog, 'metadata.n=5&include_deleted=true')).toBe('NUMBER TEXT')
    const file = await catalog.get('/exports/assets?metadata.n=5')
    expect(file.body.split('\n').filter((line) => /^(NUMBER|TEXT|THEIRS|NONE),/.test(line))).toHaveLength(1)
  })

  test('at most five names of letters, digits, _ and -; everything else is unknown', async ({ catalog }) => {
    const five = ['a', 'B-2', '_', '9', 'x'.repeat(64)].map((name) => `metadata.${name}=1`)
    expect(await keys(catalog, five.join('&'))).toBe('')
    for (const [query, field, code] of [
      [[...five, 'metadata.six=1'].join('&'), 'metadata', 'too_long'],
      ['metadata.=1', 'metadata.', 'unknown_field'],
      ['metadata.a.b=1', 'metadata.a.b', 'unknown_field'],
      [`metadata.${'x'.repeat(65)}=1`, `metadata.${'x'.repeat(65)}`, 'unknown_field'],
      ['metadata=1', 'metadata', 'unknown_field'],
      ['metadata.__proto__x%20=1', 'metadata.__proto__x ', 'unknown_field'],
      [`metadata.a=${'x'.repeat(256)}`, 'metadata.a', 'too_long'],
      ['metadata.a=%00', 'metadata.a', 'invalid_value'],
    ] as const)
      expect((await catalog.get(`/assets?${query}`)).json().error.fields).toMatchObject([{ field, code }])
    expect((await catalog.get('/locations?metadata.a=1')).json().error.fields).toMatchObject([
      { field: 'metadata.a', code: 'unknown_field' },
    ])
    expect(await keys(catalog, 'metadata.__proto__=1')).toBe('')
  })
})
