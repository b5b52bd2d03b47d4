import { describe, expect } from 'vitest'
import { tooLong, tooShort } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { codesOf, kinds, resourcesOf } from './support/resources.ts'

/** Both ways to write a field: create and change. */
const writes = kinds.flatMap((kind) => (['POST', 'PATCH'] as const).map((method) => ({ kind, method })))

function writer(
  api: Parameters<typeof resourcesOf>[0],
  token: string,
  { kind, method }: (typeof writes)[number],
) {
  const { create, patch, make } = resourcesOf(api, token, kind)
  return async (body: object) => (method === 'POST' ? create(body) : patch((await make()).id, body))
}

describe('names', () => {
  const good = [
    'x',
    '7',
    'two words',
    'a  b',
    'ünïcode',
    '漢字',
    '📦',
    '📦'.repeat(255),
    'x'.repeat(255),
    '<b>"\\/',
  ]
  test.for(writes)(
    '$method $kind: a name of 1 to 255 characters is kept unchanged',
    async (write, { api, token }) => {
      const send = writer(api, token, write)
      for (const name of good) expect((await send({ name })).body.data.name).toBe(name)
    },
  )

  const controls = ['\u0000', '\u0001', '\t', '\n', '\r', '\u001b', '\u001f', '\u007f']
  test.for(writes)(
    '$method $kind: control characters and white space at an end are invalid_value',
    async (write, { api, token }) => {
      const send = writer(api, token, write)
      for (const name of [...controls.map((c) => `a${c}b`), ' a', 'a ', ' ', '\u00a0a', 'a\u2003', '\u3000'])
        expect(codesOf(await send({ name })), JSON.stringify(name)).toEqual(['name invalid_value'])
    },
  )

  test.for(writes)(
    '$method $kind: no character is too_short, 256 are too_long',
    async (write, { api, token }) => {
      const send = writer(api, token, write)
      expect((await send({ name: '' })).body.error.fields).toEqual([tooShort('name')])
      for (const name of ['x'.repeat(256), '📦'.repeat(256)])
        expect((await send({ name })).body.error.fields).toEqual([tooLong('name', 255)])
    },
  )
})

describe('D4.5 descriptions', () => {
  test.for(writes)(
    'D4.5 $method $kind: a description is multi-line, of 1 to 1024 characters',
    async (write, { api, token }) => {
      const send = writer(api, token, write)
      for (const description of ['x', 'one\ttwo\r\nthree\n', ' ', '📦'.repeat(1024)])
        expect((await send({ description })).body.data.description).toBe(description)
      expect((await send({ description: '' })).body.error.fields).toEqual([tooShort('description')])
      expect((await send({ description: 'x'.repeat(1025) })).body.error.fields).toEqual([
        tooLong('description', 1024),
      ])
      for (const control of ['\u0000', '\u000b', '\u001f', '\u007f'])
        expect(codesOf(await send({ description: `a${control}b` }))).toEqual(['description invalid_value'])
    },
  )

  test.for(kinds)('D4.5 null clears the description of a %s', async (kind, { api, org }) => {
    const { make, patch, read } = resourcesOf(api, org.admin, kind)
    const { id } = await make({ description: 'some' })
    expect((await patch(id, { description: null })).body.data.description).toBeNull()
    expect((await read(id)).description).toBeNull()
    expect((await make({ description: null })).description).toBeNull()
  })
})

describe('D1.3 D4.6 fields of assets only', () => {
  test('D4.6 PATCH replaces metadata whole: it is not merged', async ({ api, org }) => {
    const { make, patch, read } = resourcesOf(api, org.admin, 'asset')
    const { id } = await make({ metadata: { a: 1, b: { c: 2 } } })
    const metadata = { b: { d: null }, list: [1, 'x', { deep: true }] }
    expect((await patch(id, { metadata })).body.data).toMatchObject({ metadata })
    expect((await patch(id, { name: 'Other' })).body.data).toMatchObject({ metadata })
    expect(await read(id)).toMatchObject({ metadata })
    expect((await patch(id, { metadata: {} })).body.data).toHaveProperty('metadata', {})
  })

  test('D4.6 metadata keeps every kind of JSON value and any key', async ({ api, org }) => {
    const { make, read } = resourcesOf(api, org.admin, 'asset')
    const metadata = { '': 0, 'ünï 📦': [], __proto: { x: 1 }, constructor: 'c', n: -1.5e-7, big: 9007199254740991, t: true, nil: null, s: 'a\tb\n\u007f' } // oxfmt-ignore
    const { id } = await make({ metadata })
    expect(await read(id)).toHaveProperty('metadata', metadata)
  })

  test('D1.3 type is asset by default, and can be changed', async ({ api, org }) => {
    const { make, patch } = resourcesOf(api, org.admin, 'asset')
    const { id, ...made } = await make()
    expect(made).toMatchObject({ type: 'asset' })
    for (const type of ['person', 'inventory', 'asset'])
      expect((await patch(id, { type })).body.data).toMatchObject({ type })
  })

  test('a location has neither metadata nor type: both are unknown fields, on POST and PATCH', async ({
    api,
    org,
  }) => {
    const { create, make, patch } = resourcesOf(api, org.admin, 'location')
    const body = { metadata: {}, type: 'asset', location_id: 5 }
    const codes = ['location_id unknown_field', 'metadata unknown_field', 'type unknown_field']
    expect(codesOf(await create(body))).toEqual(codes)
    expect(codesOf(await patch((await make()).id, body))).toEqual(codes)
  })

  test('location fields on an asset are read_only with any value', async ({ api, token }) => {
    const { create, make, patch, read } = resourcesOf(api, token, 'asset')
    const asset = await make()
    for (const value of [5, null, 'DOCK-1', {}, asset.id]) {
      const body = { name: 'Other', location_id: value, location_external_key: value }
      const codes = ['location_id read_only', 'location_external_key read_only']
      expect(codesOf(await create(body))).toEqual(codes)
      expect(codesOf(await patch(asset.id, body))).toEqual(codes)
    }
    expect(await read(asset.id)).toEqual(asset)
  })
})
