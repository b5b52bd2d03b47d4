import { AppError } from '@whereabouts/service-kit/app-error'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../test/catalog.fixture.ts'
import { transactionRunner } from './transactions.ts'

/** Holds what one organization's changes wait for, until they all wait; meanwhile another organization works. */
async function jammed<T>(
  { catalog, otherOrg }: { catalog: Catalog; otherOrg: number },
  hold: { statement: string; values: unknown[] },
  send: () => Promise<T>[],
): Promise<T[]> {
  const client = await catalog.database.pool.connect()
  try {
    await client.query('begin')
    await client.query(hold.statement, hold.values)
    const answers = send()
    await expect.poll(() => catalog.waitingForLocks(), { timeout: 10_000 }).toBeGreaterThan(0)
    const as = { org: otherOrg }
    const { id } = await catalog.asset({}, as)
    expect((await catalog.get(`/assets/${id}`, as)).statusCode).toBe(200)
    expect((await catalog.get('/locations', as)).statusCode).toBe(200)
    expect((await catalog.patch(`/assets/${id}`, {}, as)).statusCode).toBe(200)
    await client.query('rollback')
    return await Promise.all(answers)
  } finally {
    client.release(true) // with whatever it still holds
  }
}

const advisory = (...names: string[]) => ({
  statement: 'select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest($1::text[]) as name',
  values: [names],
})

let renames = 0
const rename = (catalog: Catalog, as: object, id: number) =>
  catalog.post(`/locations/${id}/rename`, { external_key: `KEY-${(renames += 1)}` }, as)

describe('one organization that waits for itself leaves connections to the others', () => {
  test('200 creates without a key, which all succeed', async ({ catalog, otherOrg }) => {
    const answers = await jammed({ catalog, otherOrg }, advisory(`mint:asset:${catalog.orgId}`), () =>
      Array.from({ length: 200 }, () => catalog.post('/assets', { name: 'x' })),
    )
    const keys = answers.map((res) => res.json().data?.external_key)
    expect(new Set(keys).size).toBe(200)
    expect(keys).toContain('ASSET-0200')
  })

  /** Who waits for an advisory lock holds one connection, not the half of them that an organization may have. */
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
    const answers = await jammed(
      { catalog, otherOrg },
      advisory(...orgs.map((org) => `${lock}:${org}`)),
      () =>
        Array.from({ length: 80 }, (_, i) => send(catalog, { org: orgs[i % 4] }, locations[i % 4]?.id ?? 0)),
    )
    for (const res of answers) expect([200, 201]).toContain(res.statusCode)
  })

  test('50 changes of one row', async ({ catalog, otherOrg }) => {
    const { id } = await catalog.asset()
    const row = { statement: 'select 1 from asset where id = $1 for update', values: [id] }
    const answers = await jammed({ catalog, otherOrg }, row, () =>
      Array.from({ length: 50 }, (_, i) =>
        catalog.post(`/assets/${id}/tags`, { tag_type: 'ble', value: `${i}` }),
      ),
    )
    expect(new Set(answers.map((res) => res.statusCode))).toEqual(new Set([201]))
  })
})

test('a lock that is not granted in time is 503, and the relay is not woken', async ({ catalog }) => {
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

test('what was thrown inside is what the caller gets', async ({ catalog }) => {
  const runInTransaction = transactionRunner(catalog.tenants, () => undefined)
  const bug = new TypeError('a bug')
  await expect(
    runInTransaction(catalog.orgId, async () => {
      throw bug
    }),
  ).rejects.toBe(bug)
})
