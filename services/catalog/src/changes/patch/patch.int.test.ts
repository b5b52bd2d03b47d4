import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'

/** PATCH of assets and locations. */
const kinds = ['asset', 'location'] as const
type Kind = (typeof kinds)[number]

const pathOf = (kind: Kind, id: number) => `/${kind}s/${id}`
const read = async (catalog: Catalog, kind: Kind, id: number) =>
  (await catalog.get(pathOf(kind, id))).json().data

const entries = (res: { json(): { error: { fields?: { field: string; code: string }[] } } }) =>
  res.json().error.fields?.map(({ field, code }) => `${field} ${code}`)

const ms = (instant: string) => Date.parse(instant)

describe.for(kinds)('%s', (kind) => {
  const made = (catalog: Catalog, fields: object = {}) => catalog[kind](fields)

  test('D4.8 the body of a GET, sent back unchanged, is accepted and only advances updated_at', async ({
    catalog,
  }) => {
    const parent = await catalog.location()
    const { id } = await made(catalog, {
      description: 'two\nlines',
      is_active: false,
      valid_to: '2099-01-01T00:00:00Z',
      tags: [
        { tag_type: 'rfid', value: 'B' },
        { tag_type: 'ble', value: 'A' },
      ],
      ...(kind === 'asset'
        ? { type: 'person', metadata: { a: { b: [1e300, null] } } }
        : { parent_id: parent.id }),
    })
    const stored = await read(catalog, kind, id)
    const res = await catalog.patch(pathOf(kind, id), stored)
    expect(res.statusCode).toBe(200)
    const { data } = res.json()
    expect(data).toEqual({ ...stored, updated_at: data.updated_at })
    expect(ms(data.updated_at)).toBeGreaterThan(ms(stored.updated_at))
    expect(await read(catalog, kind, id)).toEqual(data)
  })

  test('D4.8 bounds sent back unchanged keep their microseconds, even in a window of one microsecond', async ({
    catalog,
  }) => {
    const window = { valid_from: '2026-01-01T00:00:00.123456Z', valid_to: '2026-01-01T00:00:00.123457Z' }
    const { id } = await made(catalog, window)
    const stored = await read(catalog, kind, id)
    expect(stored.valid_to).toBe(stored.valid_from)
    expect((await catalog.patch(pathOf(kind, id), stored)).statusCode).toBe(200)
    const { rows } = await catalog.database.pool.query(
      `select to_char(valid_from, 'US') as begins, to_char(valid_to, 'US') as ends from ${kind} where id = $1`,
      [id],
    )
    expect(rows).toEqual([{ begins: '123456', ends: '123457' }])
  })

  test('PATCH keeps absent fields, clears null ones, and sets others', async ({ catalog }) => {
    const fields = { name: 'Old', description: 'old', valid_to: '2099-01-01T00:00:00.000Z' }
    const stored = await made(catalog, fields)
    const patched = async (body: object) => (await catalog.patch(pathOf(kind, stored.id), body)).json().data
    expect(await patched({ name: 'New' })).toMatchObject({ ...fields, name: 'New' })
    expect(await patched({ description: null })).toMatchObject({ name: 'New', description: null })
    expect(await patched({ valid_to: null })).toMatchObject({ valid_to: null, is_active: true })
    const values = { description: 'new', is_active: false, valid_from: '2020-01-01T00:00:00.000Z' }
    expect(await patched(values)).toMatchObject({ ...values, name: 'New', valid_to: null })
    expect(await read(catalog, kind, stored.id)).toMatchObject({ ...values, name: 'New', tags: [] })
  })

  test('an empty PATCH is accepted and advances updated_at', async ({ catalog }) => {
    const stored = await made(catalog)
    const { data } = (await catalog.patch(pathOf(kind, stored.id), {})).json()
    expect(data).toEqual({ ...stored, updated_at: expect.any(String) })
    expect(ms(data.updated_at)).toBeGreaterThan(ms(stored.updated_at))
  })

  test('updated_at advances by a millisecond even if the clock was set back', async ({ catalog }) => {
    const { id } = await made(catalog)
    await catalog.database.pool.query(
      `update ${kind} set updated_at = date_trunc('milliseconds', now()) + interval '1 hour' where id = $1`,
      [id],
    )
    const before = await read(catalog, kind, id)
    const { data } = (await catalog.patch(pathOf(kind, id), before)).json()
    expect(ms(data.updated_at)).toBe(ms(before.updated_at) + 1)
    const key = { external_key: 'LATER' }
    const renamed = (await catalog.post(`${pathOf(kind, id)}/rename`, key)).json().data
    expect(ms(renamed.updated_at)).toBe(ms(before.updated_at) + 2)
  })

  test('D4.8 a stale updated_at is refused as read_only and changes nothing', async ({ catalog }) => {
    const first = await made(catalog)
    const second = (await catalog.patch(pathOf(kind, first.id), { name: 'Second' })).json().data
    await catalog.takeOutbox()
    const res = await catalog.patch(pathOf(kind, first.id), { name: 'Third', updated_at: first.updated_at })
    expect(res.statusCode).toBe(400)
    expect(res.json().error).toMatchObject({
      type: 'validation_error',
      detail: 'updated_at is read-only and is not what is stored',
      fields: [{ field: 'updated_at', code: 'read_only' }],
    })
    expect(await read(catalog, kind, first.id)).toEqual(second)
    expect(await catalog.takeOutbox()).toEqual([])
  })

  test('D4.8 all mismatches are reported together with the window, in schema order', async ({ catalog }) => {
    const stored = await made(catalog)
    const res = await catalog.patch(pathOf(kind, stored.id), {
      tags: [{ id: 1, tag_type: 'rfid', value: 'X' }],
      deleted_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      created_at: '2026-01-01T00:00:00Z',
      valid_to: '2000-01-01T00:00:00Z',
      external_key: 'OTHER',
      id: stored.id + 1,
      name: 'Not this one',
    })
    expect(entries(res)).toEqual([
      'id read_only',
      'external_key invalid_context',
      'valid_to invalid_value',
      'created_at read_only',
      'updated_at read_only',
      'deleted_at read_only',
      'tags invalid_context',
    ])
    expect(res.json().error.detail).toMatch(/ \(and 6 more validation errors\)$/)
    expect(await read(catalog, kind, stored.id)).toEqual(stored)
  })

  test('D4.8 of simultaneous PATCHes with the same updated_at exactly one succeeds', async ({
    catalog,
    replica,
  }) => {
    const stored = await made(catalog)
    const client = await catalog.database.pool.connect()
    try {
      // All have begun before the first one gets the row.
      await client.query('begin')
      await client.query(`select 1 from ${kind} where id = $1 for update`, [stored.id])
      const answering = Promise.all(
        [catalog, replica, catalog, replica].map(async (via, i) => {
          const body = { name: `writer ${i}`, updated_at: stored.updated_at }
          return via.patch(pathOf(kind, stored.id), body)
        }),
      )
      await expect.poll(() => catalog.waitingForLocks(), { timeout: 10_000 }).toBe(4)
      await client.query('rollback')
      const [won, ...others] = (await answering).toSorted((x, y) => x.statusCode - y.statusCode)
      expect(won?.statusCode).toBe(200)
      for (const res of others) expect(entries(res)).toEqual(['updated_at read_only'])
      expect(await read(catalog, kind, stored.id)).toEqual(won?.json().data)
    } finally {
      client.release(true)
    }
  })

  test('no simultaneous PATCH is lost, and updated_at rises with each', async ({ catalog }) => {
    const { id } = await made(catalog)
    const fields = [
      { name: 'N' },
      { description: 'D' },
      { is_active: false },
      { valid_to: '2099-01-01T00:00:00Z' },
    ]
    const responses = await Promise.all(fields.map(async (body) => catalog.patch(pathOf(kind, id), body)))
    const times = responses.map((res): string => res.json().data.updated_at)
    expect(new Set(times).size).toBe(fields.length)
    expect(await read(catalog, kind, id)).toMatchObject({
      name: 'N',
      description: 'D',
      is_active: false,
      valid_to: '2099-01-01T00:00:00.000Z',
      updated_at: times.toSorted((a, b) => a.localeCompare(b)).at(-1),
    })
  })

  test.for([
    { name: 'another type', body: { name: 5 }, want: ['name invalid_value'] },
    { name: 'an empty name', body: { name: '' }, want: ['name too_short'] },
    { name: 'name null', body: { name: null }, want: ['name invalid_value'] },
    { name: 'valid_from null', body: { valid_from: null }, want: ['valid_from invalid_value'] },
    { name: 'is_active null', body: { is_active: null }, want: ['is_active invalid_value'] },
    { name: 'a date only', body: { valid_to: '2026-01-01' }, want: ['valid_to invalid_value'] },
    { name: 'a zero time', body: { valid_from: '1970-01-01T00:00:00Z' }, want: ['valid_from invalid_value'] },
    {
      name: 'an echo of another type',
      body: { updated_at: 1, id: 'x' },
      want: ['id invalid_value', 'updated_at invalid_value'],
    },
    {
      name: 'an unknown field',
      body: { zzz: 1, colour: 1 },
      want: ['colour unknown_field', 'zzz unknown_field'],
    },
    {
      name: 'an inverted window, along with other problems',
      body: { name: '', valid_from: '2026-01-02T00:00:00Z', valid_to: '2026-01-01T00:00:00Z' },
      want: ['name too_short', 'valid_to invalid_value'],
    },
    {
      name: 'a window without length',
      body: { valid_from: '2026-01-01T00:00:00Z', valid_to: '2026-01-01T00:00:00Z' },
      want: ['valid_to invalid_value'],
    },
  ])('PATCH with $name is refused and changes nothing', async ({ body, want }, { catalog }) => {
    const stored = await made(catalog)
    await catalog.takeOutbox()
    const res = await catalog.patch(pathOf(kind, stored.id), body)
    expect(res.statusCode).toBe(400)
    expect(entries(res)).toEqual(want)
    expect(await read(catalog, kind, stored.id)).toEqual(stored)
    expect(await catalog.takeOutbox()).toEqual([])
  })

  test.for([
    { name: 'valid_from alone, after the stored end', body: { valid_from: '2050-01-01T00:00:00Z' } },
    { name: 'valid_to alone, before the stored begin', body: { valid_to: '2001-01-01T00:00:00Z' } },
    { name: 'valid_to alone, at the stored begin', body: { valid_to: '2010-01-01T00:00:00.5Z' } },
  ])('D4.7 the merged window is checked: $name', async ({ body }, { catalog }) => {
    const stored = await made(catalog, {
      valid_from: '2010-01-01T00:00:00.500Z',
      valid_to: '2040-01-01T00:00:00Z',
    })
    const res = await catalog.patch(pathOf(kind, stored.id), body)
    expect(entries(res)).toEqual(['valid_to invalid_value'])
    expect(await read(catalog, kind, stored.id)).toEqual(stored)
  })

  test.for(['null', '[]', '"x"', '7', '', '{', '{}{}'])(
    'D3 the body %j is a bad request',
    async (body, { catalog }) => {
      const { id } = await made(catalog)
      const res = await catalog.patch(pathOf(kind, id), body)
      expect(res.json().error).toMatchObject({ status: 400, type: 'bad_request' })
    },
  )

  test.for(['application/json', 'application/json-patch+json', 'text/plain', ''])(
    'PATCH of media type %j answers 415 before the body is read',
    async (mediaType, { catalog }) => {
      const res = await catalog.patch(pathOf(kind, 0), 'null', { mediaType })
      expect(res.json().error).toMatchObject({
        type: 'unsupported_media_type',
        detail: 'Content-Type must be application/merge-patch+json',
      })
    },
  )

  test('a parameter of the media type is accepted', async ({ catalog }) => {
    const { id } = await made(catalog)
    const mediaType = 'Application/Merge-Patch+JSON; charset=utf-8'
    expect((await catalog.patch(pathOf(kind, id), {}, { mediaType })).statusCode).toBe(200)
    const rename = { external_key: 'NEW' }
    expect((await catalog.post(`${pathOf(kind, id)}/rename`, rename, { mediaType })).statusCode).toBe(415)
  })

  test('D2 the body is checked before the row is read, stored-row rules after', async ({ catalog }) => {
    const { id } = await made(catalog)
    await catalog.delete(pathOf(kind, id))
    expect((await catalog.patch(pathOf(kind, id), { name: '' })).statusCode).toBe(400)
    const stale = { updated_at: '2020-01-01T00:00:00Z' }
    expect((await catalog.patch(pathOf(kind, id), stale)).statusCode).toBe(404)
    expect((await catalog.post(`${pathOf(kind, id)}/rename`, { external_key: '' })).statusCode).toBe(400)
    expect((await catalog.post(`${pathOf(kind, id)}/rename`, { external_key: 'X' })).statusCode).toBe(404)
    expect(await catalog.patch(pathOf(kind, 0), {}).then(entries)).toEqual([`${kind}_id too_small`])
  })

  test('PATCH publishes the full state with a higher revision', async ({ catalog }) => {
    const stored = await made(catalog, { tags: [{ tag_type: 'rfid', value: 'T' }] })
    const [created] = await catalog.takeOutbox()
    const { data } = (await catalog.patch(pathOf(kind, stored.id), { name: 'New' })).json()
    const [message, ...others] = await catalog.takeOutbox()
    expect(others).toEqual([])
    const { tags: _, parent_external_key: __, home_location_external_key: ___, ...fields } = data
    expect(message).toMatchObject({
      subject: `catalog.${kind}.${catalog.orgId}.${stored.id}`,
      payload: { ...fields, name: 'New', org_id: catalog.orgId },
    })
    expect(Object.keys(message?.payload ?? {}).toSorted()).toEqual(
      Object.keys(created?.payload ?? {}).toSorted(),
    )
    expect(Number(message?.payload['revision'])).toBeGreaterThan(Number(created?.payload['revision']))
  })

  test('revisions rise in the order of simultaneous changes', async ({ catalog }) => {
    const { id } = await made(catalog)
    await Promise.all([
      ...Array.from({ length: 10 }, (_, i) => catalog.patch(pathOf(kind, id), { name: `n${i}` })),
      ...Array.from({ length: 5 }, (_, i) =>
        catalog.post(`${pathOf(kind, id)}/rename`, { external_key: `K${i}` }),
      ),
    ])
    const states = (await catalog.takeOutbox()).map(
      ({ payload }) => payload as { revision: number; updated_at: string },
    )
    expect(states).toHaveLength(16)
    const byRevision = states.toSorted((a, b) => a.revision - b.revision)
    expect(byRevision).toEqual(states.toSorted((a, b) => a.updated_at.localeCompare(b.updated_at)))
    expect(byRevision.at(-1)).toMatchObject({ updated_at: (await read(catalog, kind, id)).updated_at })
  })

  test('a resource of another organization looks missing to PATCH and rename, and stays unchanged', async ({
    catalog,
    otherOrg,
  }) => {
    const as = { org: otherOrg }
    const theirs = await catalog[kind]({}, as)
    const responses = [
      await catalog.patch(pathOf(kind, theirs.id), { name: 'Mine' }),
      await catalog.patch(pathOf(kind, theirs.id), { external_key: 'GUESS' }),
      await catalog.post(`${pathOf(kind, theirs.id)}/rename`, { external_key: 'MINE' }),
    ]
    expect(responses.map((res) => res.json().error.type)).toEqual(['not_found', 'not_found', 'not_found'])
    expect((await catalog.get(pathOf(kind, theirs.id), as)).json().data).toEqual(theirs)
  })
})
