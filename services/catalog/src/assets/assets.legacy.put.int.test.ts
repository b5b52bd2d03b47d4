import { describe, expect } from 'vitest'
import { legacyView, test } from '../../test/legacy.fixture.ts'

describe('PUT (ADR 19)', () => {
  test('absent fields do not change, null clears, others are set', async ({ legacy, catalog }) => {
    const before = legacyView(
      await catalog.asset({
        external_key: 'A',
        name: 'before',
        description: 'words',
        metadata: { a: 1, b: 2 },
        valid_to: '2999-01-01T00:00:00.000Z',
        tags: [{ tag_type: 'ble', value: 'B' }],
      }),
    )
    const body = { name: 'after', description: null, metadata: { c: 3 }, valid_to: null, type: 'person' }
    const res = await legacy.put('/assets/A', body)
    expect(res.statusCode).toBe(200)
    const { data } = res.json()
    const { description: _, valid_to: __, ...set } = { ...before, ...body }
    expect(data).toEqual({ ...set, updated_at: data.updated_at })
    expect(data.updated_at > before.updated_at).toBe(true)
    expect(await legacy.asset('A')).toEqual(data)
  })

  test('the same PUT twice has the same result', async ({ legacy, catalog }) => {
    await catalog.asset({ external_key: 'A', tags: [{ tag_type: 'rfid', value: '1' }] })
    const body = {
      name: 'x',
      identifier: 'A',
      identifiers: [{ value: '1' }, { value: '2' }],
      metadata: { a: 1 },
    }
    const [first, second] = [await legacy.put('/assets/A', body), await legacy.put('/assets/A', body)]
    expect(second.statusCode).toBe(200)
    const { updated_at: _, ...left } = first.json().data
    expect(second.json().data).toMatchObject(left)
  })

  test('another identifier renames; the old one is free, and answers 404 afterwards', async ({
    legacy,
    catalog,
  }) => {
    const { id } = await catalog.asset({ external_key: 'OLD' })
    const body = { identifier: 'NEW', name: 'renamed' }
    const { data } = (await legacy.put('/assets/OLD', body)).json()
    expect(data).toMatchObject({ surrogate_id: id, ...body })
    expect((await legacy.put('/assets/OLD', body)).statusCode).toBe(404)
    await catalog.asset({ external_key: 'OLD' })
    expect((await legacy.asset('NEW')).surrogate_id).toBe(id)
  })

  test('a taken identifier or tag is a conflict and changes nothing', async ({ legacy, catalog }) => {
    await catalog.asset({ external_key: 'TAKEN', tags: [{ tag_type: 'rfid', value: 'T' }] })
    await catalog.asset({ external_key: 'A', tags: [{ tag_type: 'rfid', value: 'own' }] })
    const before = await legacy.asset('A')
    await catalog.takeOutbox()
    const bodies = [
      { name: 'x', identifier: 'TAKEN', identifiers: [] },
      { name: 'x', identifier: 'FREE', identifiers: [{ value: 'new' }, { value: 'T' }] },
      { name: 'x', identifiers: [{ value: 'new' }, { value: 'new' }] },
    ]
    for (const body of bodies) expect((await legacy.put('/assets/A', body)).statusCode).toBe(409)
    expect(await legacy.asset('A')).toEqual(before)
    expect(await catalog.takeOutbox()).toEqual([])
  })

  test('identifiers are replaced by the sent set; those in both keep their ids', async ({
    legacy,
    catalog,
  }) => {
    const tags = ['keep', 'drop', 'also'].map((value) => ({ tag_type: 'rfid' as const, value }))
    const { tags: before } = await catalog.asset({ external_key: 'A', tags })
    const wanted = [{ type: 'barcode', value: 'keep' }, { value: 'also' }, { value: 'keep' }]
    const { identifiers } = (await legacy.put('/assets/A', { identifiers: wanted })).json().data
    expect(identifiers).toMatchObject([
      { id: before[0]?.id, type: 'rfid', value: 'keep' },
      { id: before[2]?.id, type: 'rfid', value: 'also' },
      { type: 'barcode', value: 'keep' },
    ])
    expect((await legacy.put('/assets/A', { name: 'y' })).json().data.identifiers).toEqual(identifiers)
    for (const none of [[], null]) {
      await legacy.put('/assets/A', { identifiers: wanted })
      expect((await legacy.put('/assets/A', { identifiers: none })).json().data.identifiers).toEqual([])
    }
    await catalog.asset({ tags })
  })

  test('the asset and each added or removed tag are published, unchanged tags are not', async ({
    legacy,
    catalog,
  }) => {
    const tags = ['keep', 'drop'].map((value) => ({ tag_type: 'rfid' as const, value }))
    const asset = await catalog.asset({ external_key: 'A', tags })
    await catalog.takeOutbox()
    const body = { identifier: 'B', name: 'n', identifiers: [{ value: 'keep' }, { value: 'new' }] }
    const { data } = (await legacy.put('/assets/A', body)).json()
    const published = await catalog.takeOutbox()
    const states = published.filter(({ subject }) => subject.startsWith('catalog.asset.'))
    expect(states.at(-1)?.payload).toMatchObject({ id: asset.id, external_key: 'B', name: 'n' })
    const tagStates = published.filter(({ subject }) => subject.startsWith('catalog.tag.'))
    const came = data.identifiers.find(({ value }: { value: string }) => value === 'new')
    expect(tagStates.map(({ payload }) => [payload['id'], payload['deleted_at'] === null])).toEqual([
      [came.id, true],
      [asset.tags[1]?.id, false],
    ])
  })

  test('D4.7 the merged window is checked, and a read window can be sent back', async ({
    legacy,
    catalog,
  }) => {
    await catalog.asset({ external_key: 'A' })
    const { valid_from } = await legacy.asset('A')
    const { fields } = (await legacy.put('/assets/A', { valid_to: '2001-01-01T00:00:00Z' })).json().error
    expect(fields).toMatchObject([{ field: 'valid_to', code: 'invalid_value' }])
    await catalog.database.pool.query(
      `update asset set valid_to = valid_from + interval '1 microsecond' where org_id = $1`,
      [catalog.orgId],
    )
    const { valid_to } = await legacy.asset('A')
    expect((await legacy.put('/assets/A', { name: 'x', valid_from, valid_to })).statusCode).toBe(200)
  })

  test.for([
    ['', 'bad_request'],
    ['null', 'bad_request'],
    ['[]', 'bad_request'],
    ['{"surrogate_id":1}', 'validation_error'],
    ['{"name":null}', 'validation_error'],
    ['{"identifier":null}', 'validation_error'],
    ['{"metadata":null}', 'validation_error'],
  ] as const)('%j is refused and changes nothing', async ([body, type], { legacy, catalog }) => {
    await catalog.asset({ external_key: 'A' })
    const before = await legacy.asset('A')
    const res = await legacy.put('/assets/A', body)
    expect(res.json().error).toMatchObject({ status: 400, type })
    expect(await legacy.asset('A')).toEqual(before)
  })

  test('it is JSON, not a merge patch', async ({ catalog }) => {
    const as = { vocabulary: 'legacy', mediaType: 'application/merge-patch+json' } as const
    expect((await catalog.call('PUT', '/assets/A', {}, as)).statusCode).toBe(415)
  })

  test('of simultaneous PUTs one is the last, as a whole', async ({ legacy, catalog }) => {
    await catalog.asset({ external_key: 'A' })
    const bodies = Array.from({ length: 8 }, (_, i) => ({
      name: `n${i}`,
      metadata: { i },
      identifiers: [{ value: `own ${i}` }, { value: 'shared' }],
    }))
    const responses = await Promise.all(bodies.map((body) => legacy.put('/assets/A', body)))
    expect(new Set(responses.map((res) => res.statusCode))).toEqual(new Set([200]))
    const { name, metadata, identifiers } = await legacy.asset('A')
    const last = bodies.find((body) => body.name === name)
    expect(metadata).toEqual(last?.metadata)
    expect(new Set(identifiers.map(({ value }) => value))).toEqual(
      new Set(last?.identifiers.map(({ value }) => value)),
    )
  })

  test('two PUTs that take each other’s tag do not deadlock', async ({ legacy, catalog }) => {
    const rounds = Array.from({ length: 10 }, async (_, i) => {
      const [one, other] = [`A${i}`, `B${i}`]
      await catalog.asset({ external_key: one, tags: [{ tag_type: 'rfid', value: one }] })
      await catalog.asset({ external_key: other, tags: [{ tag_type: 'rfid', value: other }] })
      return Promise.all([
        legacy.put(`/assets/${one}`, { identifiers: [{ value: other }] }),
        legacy.put(`/assets/${other}`, { identifiers: [{ value: one }] }),
      ])
    })
    const statuses = (await Promise.all(rounds)).flat().map((res) => res.statusCode)
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
  })

  test('a PUT that waits for a rename of the asset answers 404', async ({ legacy, catalog }) => {
    const { id } = await catalog.asset({ external_key: 'A', name: 'before' })
    const client = await catalog.database.pool.connect()
    try {
      await client.query('begin')
      await client.query(`update asset set external_key = 'B' where id = $1`, [id])
      const put = legacy.put('/assets/A', { name: 'after' })
      const removal = legacy.delete('/assets/A')
      const attach = legacy.post('/assets/A/tags', { value: 'x' })
      await expect.poll(() => catalog.waitingForLocks()).toBe(3)
      await client.query('commit')
      const responses = await Promise.all([put, removal, attach])
      expect(responses.map((res) => res.statusCode)).toEqual([404, 404, 404])
    } finally {
      client.release()
    }
    expect(await legacy.asset('B')).toMatchObject({ name: 'before', identifiers: [] })
  })
})
