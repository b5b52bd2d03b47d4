import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../test/catalog.fixture.ts'

const kinds = ['asset', 'location'] as const
type Kind = (typeof kinds)[number]
type Tag = AssetView['tags'][number]

const rfid = (value: string) => ({ tag_type: 'rfid' as const, value })
const ble = (value: string) => ({ tag_type: 'ble' as const, value })
const barcode = (value: string) => ({ tag_type: 'barcode' as const, value })

type Wanted = {
  valid_from?: string
  valid_to?: string
  tags?: ReturnType<typeof rfid | typeof ble | typeof barcode>[]
}

/** Creates one of the kind with a name and a key. */
const make = (catalog: Catalog, kind: Kind, key: string, fields: Wanted = {}, org = catalog.orgId) =>
  catalog[kind]({ external_key: key, name: `Name of ${key}`, ...fields }, { org })

/** The keys on the page. The total must agree with them. */
async function keys(catalog: Catalog, kind: Kind, query: string): Promise<string[]> {
  const res = await catalog.get(`/${kind}s?${query}`)
  expect(res.statusCode, res.body).toBe(200)
  const { data, total_count } = res.json<{ data: AssetView[]; total_count: number }>()
  expect(total_count).toBe(data.length)
  return data.map(({ external_key }) => external_key)
}

const tagged = (...tags: readonly Pick<Tag, 'tag_type' | 'value'>[]) =>
  tags.map(({ tag_type, value }) => `tag=${tag_type}:${encodeURIComponent(value)}`).join('&')

describe.for(kinds)('of %ss', (kind) => {
  test('D12.5 id selects rows by their ids, in the order of the list', async ({ catalog, otherOrg }) => {
    const [c, a] = [await make(catalog, kind, 'C'), await make(catalog, kind, 'A')]
    await make(catalog, kind, 'B')
    const gone = await make(catalog, kind, 'GONE')
    await catalog.delete(`/${kind}s/${gone.id}`)
    const theirs = await make(catalog, kind, 'THEIRS', {}, otherOrg)
    const all = [c, a, gone, theirs].map(({ id }) => `id=${id}`).join('&')
    expect(await keys(catalog, kind, all)).toEqual(['A', 'C'])
    expect(await keys(catalog, kind, `${all}&sort=-name`)).toEqual(['C', 'A'])
    expect(await keys(catalog, kind, `${all}&include_deleted=true`)).toEqual(['A', 'C', 'GONE'])
    expect(await keys(catalog, kind, `${all}&external_key=B`)).toEqual([])
    expect(await keys(catalog, kind, `id=${c.id}&id=${c.id}&q=name of`)).toEqual(['C'])
    expect(await keys(catalog, kind, 'id=1&id=9007199254740991&id=9223372036854775807')).toEqual([])
  })

  test('D12.5 tag finds all owners of tags that compare as equal in a read', async ({ catalog }) => {
    await make(catalog, kind, 'ONE', { tags: [rfid('E2 80-ab'), ble('aa:bb:cc')] })
    await make(catalog, kind, 'TWO', { tags: [rfid('e280AB'), rfid('E2:80:AB')] })
    await make(catalog, kind, 'OTHER', { tags: [barcode('E280AB'), ble('E280AB'), rfid('E280')] })
    for (const value of ['E280AB', 'E2 80-ab', ' e2:80:ab '])
      expect(await keys(catalog, kind, tagged(rfid(value)))).toEqual(['ONE', 'TWO'])
    expect(await keys(catalog, kind, tagged(ble('AABBCC')))).toEqual(['ONE'])
    expect(await keys(catalog, kind, tagged(rfid('E28')))).toEqual([])
    expect(await keys(catalog, kind, tagged(rfid('none'), ble('AA-BB-CC'), barcode('E280AB')))).toEqual([
      'ONE',
      'OTHER',
    ])
  })

  test('D16.5 tag finds a code by its URNs, a pure identity by each filter value', async ({ catalog }) => {
    await make(catalog, kind, 'HEX', { tags: [rfid('0x3074257bf7194e4000001a85')] })
    await make(catalog, kind, 'PURE', { tags: [rfid('urn:epc:id:sgtin:0614141.812345.6789')] })
    const found = (value: string) => keys(catalog, kind, tagged(rfid(value)))
    expect(await found('3074257BF7194E4000001A85')).toEqual(['HEX', 'PURE'])
    expect(await found('urn:epc:tag:sgtin-96:3.0614141.812345.6789')).toEqual(['HEX', 'PURE'])
    expect(await found('urn:epc:id:sgtin:0614141.812345.6789')).toEqual(['HEX', 'PURE'])
    expect(await found('urn:epc:tag:sgtin-96:1.0614141.812345.6789')).toEqual(['PURE'])
  })

  test('D12.5 tag compares barcodes exactly, with colons and everything else that a tag may contain', async ({
    catalog,
  }) => {
    const values = ['a:b', 'a b', '100% ü+&=', 'line\nline', '📦'.repeat(255)]
    for (const [i, value] of values.entries()) await make(catalog, kind, `K-${i}`, { tags: [barcode(value)] })
    for (const [i, value] of values.entries())
      expect(await keys(catalog, kind, tagged(barcode(value)))).toEqual([`K-${i}`])
    expect(await keys(catalog, kind, tagged(barcode('A:B'), barcode('ab')))).toEqual([])
  })

  test('D12.5 tag finds nothing by detached tags, deleted owners, other resources and other organizations', async ({
    catalog,
    otherOrg,
  }) => {
    const owner = await make(catalog, kind, 'OWNER', { tags: [rfid('kept'), rfid('detached')] })
    await catalog.delete(`/${kind}s/${owner.id}/tags/${owner.tags[1]?.id}`)
    const gone = await make(catalog, kind, 'GONE', { tags: [rfid('gone')] })
    await catalog.delete(`/${kind}s/${gone.id}`)
    await make(catalog, kind === 'asset' ? 'location' : 'asset', 'ELSE', { tags: [rfid('else')] })
    await make(catalog, kind, 'THEIRS', { tags: [rfid('theirs'), rfid('kept')] }, otherOrg)
    const query = tagged(...['detached', 'gone', 'else', 'theirs'].map(rfid))
    expect(await keys(catalog, kind, `${query}&include_deleted=true&window=any`)).toEqual([])
    expect(await keys(catalog, kind, tagged(rfid('kept')))).toEqual(['OWNER'])
  })

  test('D12.5 tag is combined with the other filters, the order and the page', async ({ catalog }) => {
    for (const key of ['A', 'B', 'C'])
      await make(catalog, kind, key, { tags: [rfid(`t-${key}`), barcode(key)] })
    const all = tagged(rfid('ta'), rfid('tb'), barcode('A'), barcode('C'))
    expect(await keys(catalog, kind, `${all}&sort=-external_key`)).toEqual(['C', 'B', 'A'])
    expect(await keys(catalog, kind, `${all}&external_key=B&external_key=C`)).toEqual(['B', 'C'])
    expect(await keys(catalog, kind, `${all}&q=name of b`)).toEqual(['B'])
    expect(await keys(catalog, kind, `${all}&q=t-a`)).toEqual(['A'])
    expect(await keys(catalog, kind, `${tagged(rfid('ta'))}&q=t-b`)).toEqual([])
    const page = (await catalog.get(`/${kind}s?${all}&limit=1&offset=1`)).json()
    expect(page).toMatchObject({ data: [{ external_key: 'B', tags: [{}, {}] }], total_count: 3 })
  })

  test('D12.5 window=any adds rows outside their validity, also deleted ones', async ({
    catalog,
    otherOrg,
  }) => {
    const ended = {
      valid_from: '2020-01-01T00:00:00Z',
      valid_to: '2021-01-01T00:00:00Z',
      tags: [rfid('old')],
    }
    await make(catalog, kind, 'NOW')
    const over = await make(catalog, kind, 'OVER', ended)
    await make(catalog, kind, 'SOON', { valid_from: '2998-01-01T00:00:00Z' })
    const gone = await make(catalog, kind, 'GONE', { valid_from: ended.valid_from, valid_to: ended.valid_to })
    await catalog.delete(`/${kind}s/${gone.id}`)
    await make(catalog, kind, 'THEIRS', ended, otherOrg)
    expect(await keys(catalog, kind, '')).toEqual(['NOW'])
    expect(await keys(catalog, kind, 'window=current')).toEqual(['NOW'])
    expect(await keys(catalog, kind, 'window=current&include_deleted=true')).toEqual(['NOW'])
    expect(await keys(catalog, kind, 'window=any')).toEqual(['NOW', 'OVER', 'SOON'])
    expect(await keys(catalog, kind, 'window=any&include_deleted=true')).toEqual([
      'GONE',
      'NOW',
      'OVER',
      'SOON',
    ])
    expect(await keys(catalog, kind, 'window=any&q=name&sort=-name')).toEqual(['SOON', 'OVER', 'NOW'])
    const named = [`id=${over.id}`, 'external_key=OVER', tagged(rfid('OLD'))]
    for (const query of named) {
      expect(await keys(catalog, kind, query)).toEqual([])
      expect(await keys(catalog, kind, `${query}&window=any`)).toEqual(['OVER'])
    }
    const past = (await catalog.get(`/${kind}s?window=any&offset=9&limit=1`)).json()
    expect(past).toMatchObject({ data: [], total_count: 3 })
  })

  test.for([
    ['id=0', 'id'],
    ['id=x', 'id'],
    ['tag=', 'tag'],
    ['tag=rfid', 'tag'],
    ['tag=rfidx', 'tag'],
    ['tag=rfid:', 'tag'],
    ['tag=RFID:A', 'tag'],
    ['tag=qr:A', 'tag'],
    ['tag=:A', 'tag'],
    ['tag=rfid:%00', 'tag'],
    [`tag=rfid:${'x'.repeat(256)}`, 'tag'],
    ['tag=rfid:A&tag=A', 'tag'],
    ['window=', 'window'],
    ['window=all', 'window'],
    ['window=any&window=any', 'window'],
  ] as const)('D12.5 %s is invalid_value', async ([query, field], { catalog }) => {
    const res = await catalog.get(`/${kind}s?${query}`)
    expect(res.statusCode).toBe(400)
    expect(res.json().error.fields).toMatchObject([{ field, code: 'invalid_value' }])
  })

  test('D7.3 D12.5 the filters are unknown to legacy lists and out of place on a detail route', async ({
    catalog,
  }) => {
    const { id } = await make(catalog, kind, 'A')
    const query = `id=${id}&tag=rfid:A&window=any`
    const codes = async (path: string, vocabulary?: 'legacy') =>
      (await catalog.get(path, { ...(vocabulary && { vocabulary }) }))
        .json()
        .error.fields.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)
    const named = (code: string) => ['id', 'tag', 'window'].map((name) => `${name} ${code}`)
    expect(await codes(`/${kind}s?${query}`, 'legacy')).toEqual(named('unknown_field'))
    expect(await codes(`/${kind}s/${id}?${query}`)).toEqual(named('invalid_context'))
  })
})

test('D12.5 is_root selects locations without a parent, or with one', async ({ catalog, otherOrg }) => {
  const hall = await catalog.location({ external_key: 'HALL' })
  const dock = await catalog.location({ external_key: 'DOCK', parent_id: hall.id })
  await catalog.location({ external_key: 'BAY', parent_id: dock.id })
  await catalog.location({ external_key: 'YARD', tags: [rfid('y')] })
  await catalog.location({ external_key: 'THEIRS' }, { org: otherOrg })
  expect(await keys(catalog, 'location', 'is_root=true')).toEqual(['HALL', 'YARD'])
  expect(await keys(catalog, 'location', 'is_root=false')).toEqual(['BAY', 'DOCK'])
  expect(await keys(catalog, 'location', `is_root=true&${tagged(rfid('Y'))}`)).toEqual(['YARD'])
  expect(await keys(catalog, 'location', 'is_root=true&q=ard&sort=-name')).toEqual(['YARD'])
  expect(await keys(catalog, 'location', 'is_root=false&q=ard')).toEqual([])
})

test.for([
  ['is_root=true&parent_id=1', ['parent_id', 'is_root']],
  ['is_root=false&parent_external_key=A', ['parent_external_key', 'is_root']],
  ['is_root=true&parent_external_key=A&parent_id=1', ['parent_id', 'parent_external_key', 'is_root']],
] as const)('D12.5 %s is ambiguous_fields on each of them', async ([query, fields], { catalog }) => {
  const res = await catalog.get(`/locations?${query}`)
  expect(res.statusCode).toBe(400)
  expect(res.json().error.fields).toMatchObject(fields.map((field) => ({ field, code: 'ambiguous_fields' })))
})

test('D12.5 assets have no is_root', async ({ catalog }) => {
  const { error } = (await catalog.get('/assets?is_root=true')).json()
  expect(error.fields).toMatchObject([{ field: 'is_root', code: 'unknown_field' }])
})
