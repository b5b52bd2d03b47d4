import { describe, expect } from 'vitest'
import { test } from '../../../test/imports.fixture.ts'

/** Bodies are texts, because JSON.stringify would change their values. */
const LARGE = '9007199254740993'

const entriesOf = (res: { json(): { error: { fields?: { field: string; code: string }[] } } }) =>
  res.json().error.fields?.map(({ field, code }) => `${field} ${code}`)

const cases = [
  { metadata: `{"a":{"b":[1,2,${LARGE}]}}`, entries: ['metadata.a.b[2] invalid_value'] },
  { metadata: '{"a":-9007199254740992}', entries: ['metadata.a invalid_value'] },
  { metadata: '{"a":1e999}', entries: ['metadata.a invalid_value'] },
  { metadata: `{"a":${'9'.repeat(400)}}`, entries: ['metadata.a invalid_value'] },
  { metadata: '{"__proto__":{"a":1}}', entries: ['metadata.__proto__ invalid_value'] },
  { metadata: `{"b":[{"__proto__":1}],"a":${LARGE}}`, entries: ['metadata.a invalid_value', 'metadata.b[0].__proto__ invalid_value'] },
] // oxfmt-ignore

describe('D12.2 metadata that cannot be stored as sent', () => {
  test.for(cases)('is refused by create, PATCH and the legacy routes: $metadata', async ({ metadata, entries }, { catalog }) => {
    const stored = await catalog.asset({ external_key: 'A', metadata: { kept: 1 } })
    const legacy = { vocabulary: 'legacy' } as const
    for (const res of [
      await catalog.post('/assets', `{"name":"x","metadata":${metadata}}`),
      await catalog.patch(`/assets/${stored.id}`, `{"metadata":${metadata}}`),
      await catalog.call('POST', '/assets', `{"name":"x","metadata":${metadata}}`, legacy),
      await catalog.call('PUT', '/assets/A', `{"metadata":${metadata}}`, legacy),
    ]) {
      expect(res.statusCode).toBe(400)
      expect(entriesOf(res)?.toSorted()).toEqual(entries)
    }
    expect((await catalog.get(`/assets/${stored.id}`)).json().data).toEqual(stored)
  }) // oxfmt-ignore

  test('is reported together with problems of other fields, in schema order', async ({ catalog }) => {
    const { id } = await catalog.asset()
    const res = await catalog.patch(`/assets/${id}`, `{"tags":[],"metadata":{"a":${LARGE}},"id":1}`)
    expect(entriesOf(res)).toEqual(['id read_only', 'metadata.a invalid_value'])
  })

  test('is accepted if it is stored already: 1e20, shown as an integer, and values older than this rule', async ({
    catalog,
  }) => {
    const { id } = await catalog.asset()
    const before = `{"a": 100000000000000000000, "b": [{"__proto__": {"c": 1}}], "d": 9007199254740994}`
    await catalog.database.pool.query('update asset set metadata = $1 where id = $2', [before, id])
    const read = async () => (await catalog.get(`/assets/${id}`)).body
    const [stored] = [await read()]
    const { metadata } = /"metadata":(?<metadata>.*?),"is_active"/.exec(stored)?.groups ?? {}
    expect(metadata).toContain('100000000000000000000')
    expect((await catalog.patch(`/assets/${id}`, `{"metadata":${metadata}}`)).statusCode).toBe(200)
    expect(await read()).toContain(`"metadata":${metadata}`)
    const moved = await catalog.patch(`/assets/${id}`, `{"metadata":{"other":${metadata}}}`)
    expect(entriesOf(moved)?.toSorted()).toEqual([
      'metadata.other.a invalid_value',
      'metadata.other.b[0].__proto__ invalid_value',
      'metadata.other.d invalid_value',
    ])
  })

  test('makes a row of an import fail with the path in its message, unless it was exported', async ({
    catalog,
    imports,
  }) => {
    await catalog.post('/assets', '{"name":"x","external_key":"OLD","metadata":{"a":1e20}}')
    const exported = (await catalog.get('/exports/assets')).body
    expect(exported).toContain('100000000000000000000')
    expect(await imports.run('assets', exported)).toMatchObject({ unchanged: 1, failed: 0 })
    const row = (metadata: string) => `NEW,x,"${metadata.replaceAll('"', '""')}"\n`
    const rows = cases.map(({ metadata }) => row(metadata)).join('')
    const done = await imports.run('assets', `external_key,name,metadata\n${rows}`)
    expect(done).toMatchObject({ failed: cases.length, created: 0 })
    expect(done.rows[0]?.errors).toMatchObject([
      { field: 'metadata', code: 'invalid_value', message: expect.stringMatching(/^metadata\.a\.b\[2\] must be/) },
    ])
  }) // oxfmt-ignore
})

describe('S11 j names with misleading characters', () => {
  test.for(['asset', 'location'] as const)('%s: refused, but a stored one can be sent back', async (kind, { catalog, imports }) => {
    const name = 'Pump\u202e7'
    const refused = await catalog.post(`/${kind}s`, { name })
    expect(entriesOf(refused)).toEqual(['name invalid_value'])
    const { id } = await catalog[kind]({ external_key: 'OLD' })
    expect(entriesOf(await catalog.patch(`/${kind}s/${id}`, { name }))).toEqual(['name invalid_value'])
    await catalog.database.pool.query(`update ${kind} set name = $1 where id = $2`, [name, id])
    const stored = (await catalog.get(`/${kind}s/${id}`)).json().data
    expect(stored.name).toBe(name)
    expect((await catalog.patch(`/${kind}s/${id}`, stored)).statusCode).toBe(200)
    const put = await catalog.call('PUT', `/${kind}s/OLD`, { name }, { vocabulary: 'legacy' })
    expect(put.statusCode).toBe(200)
    expect(entriesOf(await catalog.patch(`/${kind}s/${id}`, { name: `${name}!` }))).toEqual(['name invalid_value'])
    const done = await imports.run(`${kind}s`, `external_key,name\nOLD,${name}\nNEW,${name}\n`)
    expect(done.rows.map(({ outcome, errors }) => [outcome, errors[0]?.field])).toEqual([['unchanged', undefined], ['failed', 'name']])
  }) // oxfmt-ignore
})

test('D12.2 lists refuse a search for control characters', async ({ catalog }) => {
  for (const path of ['/assets', '/locations'])
    expect(entriesOf(await catalog.get(`${path}?q=a%7Fb`))).toEqual(['q invalid_value'])
})
