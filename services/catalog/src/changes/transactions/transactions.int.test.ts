import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'
import { transactionRunner } from './transactions.ts'

/** Locks rows until all changes of one organization wait. Meanwhile another organization changes rows. */
async function jammed<T>(
  { catalog, otherOrg }: { catalog: Catalog; otherOrg: number },
  hold: { statement: string; values: unknown[] },
  send: () => Promise<T>[],
): Promise<T[]> {
  const client = await catalog.database.pool.connect()
  try {
    await client.query('begin')
    await client.query(hold.statement, hold.values)
    const responses = send()
    await expect.poll(() => catalog.waitingForLocks(), { timeout: 10_000 }).toBeGreaterThan(0)
    const as = { org: otherOrg }
    const { id } = await catalog.asset({}, as)
    expect((await catalog.get(`/assets/${id}`, as)).statusCode).toBe(200)
    expect((await catalog.get('/locations', as)).statusCode).toBe(200)
    expect((await catalog.patch(`/assets/${id}`, {}, as)).statusCode).toBe(200)
    await client.query('rollback')
    return await Promise.all(responses)
  } finally {
    client.release(true) // with its locks
  }
}

const advisory = (...names: string[]) => ({
  statement: 'select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest($1::text[]) as name',
  values: [names],
})

let renames = 0
const rename = (catalog: Catalog, as: object, id: number) =>
  catalog.post(`/locations/${id}/rename`, { external_key: `KEY-${(renames += 1)}` }, as)

describe('an organization whose changes wait leaves connections to others', () => {
  test('200 creates without a key succeed', async ({ catalog, otherOrg }) => {
    const responses = await jammed({ catalog, otherOrg }, advisory(`mint:asset:${catalog.orgId}`), () =>
      Array.from({ length: 200 }, () => catalog.post('/assets', { name: 'x' })),
    )
    const keys = responses.map((res) => res.json().data?.external_key)
    expect(new Set(keys).size).toBe(200)
    expect(keys).toContain('ASSET-0200')
  })

  /** Changes that wait for an advisory lock use one connection, not half of all. */
  test.for([
    {
      what: 'creates',
      lock: 'mint:location',
      send: (catalog: Catalog, as: object) => catalog.post('/locations', { name: 'x' }, as),
    },
    { what: 'renames', lock: 'mint:location', send: rename },
    {
      what: 'moves',
      lock: 'tree',
      send: (catalog: Catalog, as: object, id: number) =>
        catalog.patch(`/locations/${id}`, { parent_id: null }, as),
    },
  ])('$what of several organizations', async ({ lock, send }, { catalog, otherOrg }) => {
    const orgs = [1, 2, 3, 4].map((i) => catalog.orgId + i * 10_000)
    const locations = await Promise.all(
      orgs.map((org) => catalog.location({ external_key: 'HERE' }, { org })),
    )
    const responses = await jammed(
      { catalog, otherOrg },
      advisory(...orgs.map((org) => `${lock}:${org}`)),
      () =>
        Array.from({ length: 80 }, (_, i) => send(catalog, { org: orgs[i % 4] }, locations[i % 4]?.id ?? 0)),
    )
    for (const res of responses) expect([200, 201]).toContain(res.statusCode)
  })

  test('50 changes of one row', async ({ catalog, otherOrg }) => {
    const { id } = await catalog.asset()
    const row = { statement: 'select 1 from asset where id = $1 for update', values: [id] }
    const responses = await jammed({ catalog, otherOrg }, row, () =>
      Array.from({ length: 50 }, (_, i) =>
        catalog.post(`/assets/${id}/tags`, { tag_type: 'ble', value: `${i}` }),
      ),
    )
    expect(new Set(responses.map((res) => res.statusCode))).toEqual(new Set([201]))
  })
})

test('a lock timeout answers 503, and does not wake the relay', async ({ catalog }) => {
  let wakes = 0
  const runInTransaction = transactionRunner(catalog.tenants, () => (wakes += 1))
  const client = await catalog.database.pool.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock(4711)')
    const refused = runInTransaction(catalog.orgId, async (tx) => {
      await sql`set local lock_timeout = 10`.execute(tx)
      await sql`select pg_advisory_xact_lock(4711)`.execute(tx)
    })
    await expect(refused).rejects.toMatchObject({ type: 'service_unavailable' })
    await expect(refused).rejects.toBeInstanceOf(AppError)
    expect(wakes).toBe(0)
  } finally {
    await client.query('rollback')
    client.release()
  }
  expect(await runInTransaction(catalog.orgId, async () => 'done')).toBe('done')
  expect(wakes).toBe(1)
})

test('the caller gets errors of the work', async ({ catalog }) => {
  const runInTransaction = transactionRunner(catalog.tenants, () => undefined)
  const bug = new TypeError('a bug')
  await expect(
    runInTransaction(catalog.orgId, async () => {
      throw bug
    }),
  ).rejects.toBe(bug)
})
