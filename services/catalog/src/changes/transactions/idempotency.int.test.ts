import { deleteAnswersBeyond, deleteOldAnswers } from '@whereabouts/db/answers/answers-purge'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'

const as = (key: string, more = {}) => ({ headers: { 'idempotency-key': key }, ...more })
const names = async (catalog: Catalog) =>
  (await catalog.get('/assets?limit=200')).json().data.map(({ name }: { name: string }) => name)

describe('D12.8 a request with a name', () => {
  test.for([
    ['/assets', { name: 'x' }],
    ['/locations', { name: 'x', tags: [{ tag_type: 'ble', value: 'idem' }] }],
    ['/assets/batch', { items: [{ external_key: 'B-1', name: 'x' }] }],
    ['/locations/batch', { items: [{ external_key: 'B-1', name: 'x' }] }],
  ] as const)(
    'POST %s has one effect and the same answer, three times and on a replica',
    async ([path, body], { catalog, replica }) => {
      const first = await catalog.post(path, body, as('one'))
      expect(first.headers['idempotent-replayed']).toBeUndefined()
      for (const service of [catalog, replica, catalog]) {
        const again = await service.post(path, body, as('one'))
        expect([again.statusCode, again.body, again.headers.location]).toEqual([
          first.statusCode,
          first.body,
          first.headers.location,
        ])
        expect(again.headers['idempotent-replayed']).toBe('true')
        expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
      }
      const list = await catalog.get(path.replace('/batch', ''))
      expect(list.json().total_count).toBe(1)
      expect(await catalog.takeEvents()).toHaveLength(1)
    },
  )

  test('a tag is attached once', async ({ catalog }) => {
    const { id } = await catalog.asset()
    const tag = { tag_type: 'rfid', value: 'E1' }
    const first = await catalog.post(`/assets/${id}/tags`, tag, as('tag'))
    const again = await catalog.post(`/assets/${id}/tags`, tag, as('tag'))
    expect([again.statusCode, again.body]).toEqual([201, first.body])
    expect((await catalog.post(`/assets/${id}/tags`, tag)).statusCode).toBe(409)
  })

  test('refusals are kept too: of the body, of a taken key with its owner, of what is missing', async ({
    catalog,
  }) => {
    const { id } = await catalog.asset({ external_key: 'TAKEN' })
    for (const [path, body, status] of [
      ['/assets', { name: ' ' }, 400],
      ['/assets', 'no json', 400],
      ['/assets', { name: 'x', external_key: 'TAKEN' }, 409],
      ['/assets/4711/tags', { tag_type: 'ble', value: 'x' }, 404],
    ] as const) {
      const key = `refused ${status} ${path} ${JSON.stringify(body)}`
      const first = await catalog.post(path, body, as(key))
      const again = await catalog.post(path, body, as(key))
      expect([first.statusCode, again.statusCode, again.headers['idempotent-replayed']]).toEqual([
        status,
        status,
        'true',
      ])
      const [{ request_id: a, ...one }, { request_id: b, ...two }] = [first.json().error, again.json().error]
      expect(two).toEqual(one)
      expect(a).not.toBe(b)
      if (status === 409) expect(two.conflict).toMatchObject({ id, external_key: 'TAKEN' })
    }
    await catalog.delete(`/assets/${id}`)
    const kept = await catalog.post(
      '/assets',
      { name: 'x', external_key: 'TAKEN' },
      as('refused 409 /assets {"name":"x","external_key":"TAKEN"}'),
    )
    expect(kept.statusCode).toBe(409)
  })

  test('another request under the name is a conflict, and changes nothing', async ({ catalog }) => {
    await catalog.post('/assets', { name: 'a' }, as('same'))
    for (const send of [
      () => catalog.post('/assets', { name: 'b' }, as('same')),
      () => catalog.post('/assets', '{"name": "a"}', as('same')),
      () => catalog.post('/locations', { name: 'a' }, as('same')),
      () => catalog.post('/assets/batch?dry_run=true', { items: [] }, as('same')),
    ]) {
      const { error } = (await send()).json()
      expect([error.type, error.detail]).toEqual([
        'conflict',
        'Idempotency-Key was used with another request',
      ])
    }
    expect(await names(catalog)).toEqual(['a'])
  })

  test('names belong to a caller and its organization', async ({ catalog, otherOrg }) => {
    for (const who of [{}, { user: 7 }, { org: otherOrg }])
      expect(
        (await catalog.post('/assets', { name: 'x' }, as('mine', who))).headers['idempotent-replayed'],
      ).toBeUndefined()
    expect(await names(catalog)).toHaveLength(2)
  })

  test('a wrong name is refused before anything else', async ({ catalog }) => {
    for (const key of ['', 'ü', 'x'.repeat(256), 'a\tb'])
      expect((await catalog.post('/assets', { name: ' ' }, as(key))).json().error.fields).toMatchObject([
        { field: 'Idempotency-Key', code: 'invalid_value' },
      ])
    expect((await catalog.post('/assets', { name: 'ok' }, as(' !~'.padEnd(255, 'x')))).statusCode).toBe(201)
  })

  test('while the first runs, others are told to wait, and then get its answer', async ({
    catalog,
    replica,
  }) => {
    const client = await catalog.database.pool.connect()
    try {
      await client.query('begin')
      await client.query('lock table outbox in exclusive mode')
      const body = { name: 'slow', external_key: 'SLOW' }
      const first = catalog.post('/assets', body, as('slow'))
      await expect.poll(() => catalog.waitingForLocks()).toBe(1)
      for (const service of [replica, catalog, replica]) {
        const waiting = await service.post('/assets', body, as('slow'))
        expect([waiting.statusCode, waiting.headers['retry-after'], waiting.json().error.detail]).toEqual([
          409, '1', 'A request with this Idempotency-Key is running',
        ]) // oxfmt-ignore
      }
      await client.query('rollback')
      expect((await first).statusCode).toBe(201)
      expect((await replica.post('/assets', body, as('slow'))).body).toBe((await first).body)
    } finally {
      client.release(true)
    }
  })

  test('a request that fails inside is not kept, and its repeat succeeds', async ({ catalog }) => {
    const body = { name: 'again', external_key: 'AGAIN' }
    const db = catalog.database.db
    await sql`alter table outbox add constraint broken check (false) not valid`.execute(db)
    for (let round = 0; round < 3; round += 1)
      expect((await catalog.post('/assets', body, as('again'))).statusCode).toBe(500)
    await sql`alter table outbox drop constraint broken`.execute(db)
    const done = await catalog.post('/assets', body, as('again'))
    expect([done.statusCode, done.headers['idempotent-replayed']]).toEqual([201, undefined])
  })

  test('twenty at once make one asset', async ({ catalog, replica }) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? catalog : replica).post('/assets', { name: 'once' }, as('burst')),
      ),
    )
    expect(await names(catalog)).toEqual(['once'])
    const bodies = answers.filter(({ statusCode }) => statusCode === 201).map(({ body }) => body)
    expect(new Set(bodies).size).toBe(1)
    expect(new Set(answers.map(({ statusCode }) => statusCode)).difference(new Set([201, 409])).size).toBe(0)
  })

  test('after a day the name is free, and the answer is purged', async ({ catalog }) => {
    const worker = catalog.database.worker.db
    await catalog.post('/assets', { name: 'x' }, as('old'))
    const age = sql`update kept_answer set created_at = now() - interval '24 hours' where org_id = ${catalog.orgId}`
    for (let round = 0; round < 3; round += 1) {
      await age.execute(catalog.database.db)
      const again = await catalog.post('/assets', { name: `x${round}` }, as('old'))
      expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([201, undefined])
    }
    await age.execute(catalog.database.db)
    expect(await deleteOldAnswers(worker)).toBe(1)
    expect(await deleteOldAnswers(worker)).toBe(0)
  })

  test('an organization keeps its newest, up to a number and a size', async ({ catalog, otherOrg }) => {
    const worker = catalog.database.worker.db
    for (let i = 0; i < 5; i += 1) await catalog.post('/assets', { name: `n${i}` }, as(`many ${i}`))
    await catalog.post('/assets', { name: 'theirs' }, as('many', { org: otherOrg }))
    expect(await deleteAnswersBeyond(worker, { answers: 3, bytes: 1e9 })).toBeGreaterThanOrEqual(2)
    const { rows } = await sql<{
      key: string
    }>`select key from kept_answer where org_id = ${catalog.orgId} order by key`.execute(worker)
    expect(rows.map(({ key }) => key)).toEqual(['many 2', 'many 3', 'many 4'])
    expect(await deleteAnswersBeyond(worker, { answers: 3, bytes: 1000 })).toBeGreaterThan(0)
  })
})
