import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'

/** Renames of assets and locations. The count of descendants is in locations/moves. */
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

  test('D4.9 a rename changes only the key, and releases the old one', async ({ catalog }) => {
    const stored = await made(catalog, { external_key: 'OLD', tags: [{ tag_type: 'rfid', value: 'T' }] })
    await catalog.takeOutbox()
    const res = await catalog.post(`${pathOf(kind, stored.id)}/rename`, { external_key: 'NEW' })
    expect(res.statusCode).toBe(200)
    const { data } = res.json()
    expect(res.json()).toEqual({ data, descendant_count_affected: 0 })
    expect(data).toEqual({ ...stored, external_key: 'NEW', updated_at: data.updated_at })
    expect(ms(data.updated_at)).toBeGreaterThan(ms(stored.updated_at))
    expect(await read(catalog, kind, stored.id)).toEqual(data)
    const [message, ...others] = await catalog.takeOutbox()
    expect(others).toEqual([])
    expect(message?.payload).toMatchObject({
      id: stored.id,
      external_key: 'NEW',
      updated_at: data.updated_at,
    })
    await made(catalog, { external_key: 'OLD' })
  })

  test('D4.9 a rename to the same key keeps updated_at and publishes nothing', async ({ catalog }) => {
    const stored = await made(catalog, { external_key: 'SAME' })
    await catalog.takeOutbox()
    const res = await catalog.post(`${pathOf(kind, stored.id)}/rename`, { external_key: 'SAME' })
    expect(res.json()).toEqual({ data: stored, descendant_count_affected: 0 })
    expect(await read(catalog, kind, stored.id)).toEqual(stored)
    expect(await catalog.takeOutbox()).toEqual([])
  })

  test('D4.9 a rename to a taken key is a conflict and changes nothing', async ({ catalog, otherOrg }) => {
    await made(catalog, { external_key: 'TAKEN' })
    await catalog[kind]({ external_key: 'THEIRS' }, { org: otherOrg })
    const gone = await made(catalog, { external_key: 'GONE' })
    await catalog.delete(pathOf(kind, gone.id))
    const stored = await made(catalog, { external_key: 'MINE' })
    await catalog.takeOutbox()
    const rename = async (external_key: string) =>
      catalog.post(`${pathOf(kind, stored.id)}/rename`, { external_key })
    const res = await rename('TAKEN')
    expect(res.statusCode).toBe(409)
    expect(res.json().error).toMatchObject({ type: 'conflict', detail: `${kind} TAKEN already exists` })
    expect(await read(catalog, kind, stored.id)).toEqual(stored)
    expect(await catalog.takeOutbox()).toEqual([])
    for (const free of ['THEIRS', 'GONE', 'taken']) expect((await rename(free)).statusCode).toBe(200)
  })

  test.for([
    { name: 'nothing', body: {}, want: ['external_key required'] },
    { name: 'null', body: { external_key: null }, want: ['external_key invalid_value'] },
    { name: 'a dot', body: { external_key: 'a.b' }, want: ['external_key invalid_value'] },
    { name: '256 characters', body: { external_key: 'x'.repeat(256) }, want: ['external_key too_long'] },
    { name: 'a name too', body: { external_key: 'A', name: 'B' }, want: ['name unknown_field'] },
  ])('D4.9 a rename takes exactly external_key: $name is refused', async ({ body, want }, { catalog }) => {
    const stored = await made(catalog)
    const res = await catalog.post(`${pathOf(kind, stored.id)}/rename`, body)
    expect(entries(res)).toEqual(want)
    expect(await read(catalog, kind, stored.id)).toEqual(stored)
  })

  test('D4.4 a rename to a key that looks minted counts for the next minted one', async ({ catalog }) => {
    const prefix = kind === 'asset' ? 'ASSET-' : 'LOC-'
    const stored = await made(catalog)
    await catalog.post(`${pathOf(kind, stored.id)}/rename`, { external_key: `${prefix}4711` })
    expect((await made(catalog)).external_key).toBe(`${prefix}4712`)
    await catalog.post(`${pathOf(kind, stored.id)}/rename`, { external_key: 'PLAIN' })
  })

  test('D4.4 a create without a key succeeds while a rename takes the next number', async ({
    catalog,
    replica,
  }) => {
    const key = kind === 'asset' ? 'ASSET-0001' : 'LOC-001'
    const rounds = Array.from({ length: 15 }, async (_, i) => {
      const org = catalog.orgId + 10_000 + i
      const { id } = await catalog[kind]({ external_key: 'PLAIN' }, { org })
      const [, minted] = await Promise.all([
        catalog.post(`${pathOf(kind, id)}/rename`, { external_key: key }, { org }),
        replica.post(`/${kind}s`, { name: 'minted' }, { org }),
      ])
      return minted.statusCode
    })
    expect(new Set(await Promise.all(rounds))).toEqual(new Set([201]))
  })

  // Otherwise two that swap their keys would deadlock.
  test('renames of one organization run one after the other, and nothing else waits for them', async ({
    catalog,
  }) => {
    const stored = await made(catalog)
    const client = await catalog.database.pool.connect()
    try {
      await client.query('begin')
      const lock = `mint:${kind}:${catalog.orgId}`
      await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lock])
      const renaming = catalog.post(`${pathOf(kind, stored.id)}/rename`, { external_key: 'PLAIN' })
      await expect.poll(() => catalog.waitingForLocks(), { timeout: 10_000 }).toBe(1)
      await made(catalog, { external_key: 'CHOSEN' })
      await client.query('rollback')
      expect((await renaming).statusCode).toBe(200)
    } finally {
      client.release(true)
    }
  })
})
