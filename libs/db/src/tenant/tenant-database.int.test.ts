import { RequestClient } from '@whereabouts/service-kit/observe/request-client'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database/database'
import { toAppError } from '@whereabouts/service-kit/http/error-handler'
import { rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import { AbortedTransactionError, sql, type Kysely } from 'kysely'
import { test as base, describe, expect } from 'vitest'
import { openDatabase } from '../connect/database.ts'
import { isDatabaseOutage } from '../connect/outage.ts'
import { urlAs } from './service-roles.ts'
import { customPlan, fixedPlan, openTenantDatabase, type TenantDatabase } from './tenant-database.ts'

type Tables = { note: { org_id: number; text: string } }
type World = { database: ServiceDatabase<Tables>; tenants: TenantDatabase<Tables> }

const folder = new URL('../../testing/notes', import.meta.url).pathname

const test = base.extend<{ world: World }>({
  world: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern
    async ({}, use) => {
      const database = await createServiceDatabase<Tables>('notes', folder)
      // One connection, so that every change of organization happens on it.
      const tenants = openTenantDatabase<Tables>(database.url, { max: 1, name: 'test' })
      await use({ database, tenants })
      await tenants.close()
      await database.drop()
    },
    { scope: 'file' },
  ],
})

const write = (db: Kysely<Tables>, org_id: number, text: string) =>
  db.insertInto('note').values({ org_id, text }).execute()
/** It has no filter on purpose. */
const readAll = async (db: Kysely<Tables>) =>
  (await db.selectFrom('note').select('text').orderBy('text').execute()).map(({ text }) => text)

test('a statement without a filter reads, changes and deletes only rows of its own organization', async ({
  world: { tenants, database },
}) => {
  await write(tenants.forOrg(1), 1, 'one')
  await write(tenants.forOrg(2), 2, 'two')
  expect(await readAll(tenants.forOrg(1))).toEqual(['one'])
  await tenants.forOrg(1).updateTable('note').set({ text: 'ONE' }).execute()
  await tenants.forOrg(1).deleteFrom('note').execute()
  expect(await readAll(tenants.forOrg(1))).toEqual([])
  expect(await readAll(database.db)).toEqual(['two'])
})

test('a row cannot be written for another organization or moved to one', async ({ world: { tenants } }) => {
  await expect(write(tenants.forOrg(3), 4, 'planted')).rejects.toThrow('row-level security')
  await write(tenants.forOrg(3), 3, 'three')
  const moved = tenants.forOrg(3).updateTable('note').set({ org_id: 4 }).execute()
  await expect(moved).rejects.toThrow('row-level security')
})

test('organizations that share a connection see only their own rows', async ({ world: { tenants } }) => {
  const orgs = Array.from({ length: 20 }, (_, i) => 100 + i)
  await Promise.all(orgs.map((org) => write(tenants.forOrg(org), org, `of ${org}`)))
  const seen = await Promise.all(
    Array.from({ length: 200 }, async (_, i) => readAll(tenants.forOrg(orgs[i % orgs.length] ?? 0))),
  )
  expect(seen).toEqual(Array.from({ length: 200 }, (_, i) => [`of ${orgs[i % orgs.length]}`]))
})

test('a transaction that PostgreSQL rolls back at its commit rejects', async ({ world: { tenants } }) => {
  const swallowed = tenants.transaction(6, async (tx) => {
    await write(tx, 6, 'lost')
    await sql`select 1 / 0`.execute(tx).catch(() => undefined)
  })
  await expect(swallowed).rejects.toThrow(AbortedTransactionError)
  expect(await readAll(tenants.forOrg(6))).toEqual([])
})

test('a change says how many rows it affected', async ({ world: { tenants } }) => {
  const db = tenants.forOrg(8)
  await write(db, 8, 'one')
  await write(db, 8, 'two')
  expect((await sql`update note set text = 'both'`.execute(db)).numAffectedRows).toBe(2n)
  expect(await db.deleteFrom('note').where('text', '=', 'none').executeTakeFirst()).toMatchObject({
    numDeletedRows: 0n,
  })
  expect((await sql`select text from note`.execute(db)).numAffectedRows).toBeUndefined()
})

test('after a rollback the connection is still set to its organization', async ({ world: { tenants } }) => {
  const failed = tenants.transaction(5, async (tx) => {
    await tx.insertInto('note').values({ org_id: 5, text: 'undone' }).execute()
    throw new Error('on purpose')
  })
  await expect(failed).rejects.toThrow('on purpose')
  await write(tenants.forOrg(5), 5, 'five')
  expect(await readAll(tenants.forOrg(5))).toEqual(['five'])
})

test('if the organization cannot be set, the statement fails and the connection is closed', async ({
  world: { tenants },
}) => {
  await write(tenants.forOrg(6), 6, 'six')
  const unsettable = tenants.forOrg('\u0000' as unknown as number) // PostgreSQL does not accept this text
  await expect(readAll(unsettable)).rejects.toThrow('invalid byte sequence')
  expect(await readAll(tenants.forOrg(6))).toEqual(['six'])
})

test('a session of requests sees nothing without an organization and cannot change its role', async ({
  world: { database },
}) => {
  const session = openDatabase<Tables>(urlAs('tenant', database.url), { max: 1 })
  await expect(readAll(session.db)).rejects.toThrow('whereabouts.org_id')
  const refused = [
    'set role test_notes',
    'set role test_notes_worker',
    'set session authorization test_notes',
  ]
  for (const text of refused) await expect(session.pool.query(text)).rejects.toThrow('permission denied')
  for (const text of ['reset role', 'set role none', 'reset session authorization', 'reset all'])
    await session.pool.query(text)
  await expect(readAll(session.db)).rejects.toThrow('whereabouts.org_id')
  await expect(session.pool.query('alter table note disable row level security')).rejects.toThrow(
    'must be owner',
  )
  await session.close()
})

test('both roles have exactly the rights that were granted', async ({ world: { database, tenants } }) => {
  const worker = openDatabase<Tables>(urlAs('worker', database.url), { max: 1 })
  await write(tenants.forOrg(8), 8, 'eight')
  await write(tenants.forOrg(9), 9, 'nine')
  expect(await readAll(worker.db)).toEqual(expect.arrayContaining(['eight', 'nine']))
  await expect(write(worker.db, 8, 'planted')).rejects.toThrow('permission denied for table note')
  await sql`insert into secret (text) values ('hush')`.execute(tenants.forOrg(8))
  await expect(sql`select * from secret`.execute(tenants.forOrg(8))).rejects.toThrow('permission denied')
  await expect(sql`select * from secret`.execute(worker.db)).rejects.toThrow('permission denied')
  await worker.close()
})

describe('a statement with a fixed plan', () => {
  const fixed = (db: Kysely<Tables>, text = 'x') =>
    sql<{ text: string; mode: string }>`${fixedPlan}
      select note.text, current_setting('plan_cache_mode') as mode from note where note.text = any(${[text]}::text[])
      `.execute(db)
  const usual = (db: Kysely<Tables>) =>
    sql<{ mode: string }>`select current_setting('plan_cache_mode') as mode, 'usual' as kind`.execute(db)
  const modeOf = async (answer: ReturnType<typeof usual>) => (await answer).rows[0]?.mode
  const plansOf = (db: Kysely<Tables>) =>
    sql<{ kind: string; generic: number; custom: number }>`${customPlan}
      select substring(statement from 'fixed plan|usual') as kind, generic_plans as generic, custom_plans as custom
      from pg_prepared_statements where statement ~ 'fixed plan|''usual''' order by kind`.execute(db)
  const FIXED = 'force_generic_plan'

  test.for([
    {
      prepared: true,
      plans: [
        { kind: 'fixed plan', generic: 9, custom: 0 },
        { kind: 'usual', generic: 0, custom: 5 },
      ],
    },
    { prepared: false, plans: [{ kind: 'fixed plan', generic: 9, custom: 0 }] },
  ])(
    'is planned once, and others on its connection as before (prepared: $prepared)',
    async ({ prepared, plans }, { world: { database } }) => {
      const one = openTenantDatabase<Tables>(database.url, { max: 1, name: 'plans', prepared })
      const db = one.forOrg(30)
      for (let i = 0; i < 9; i += 1) await fixed(db)
      // Fewer than six, after which PostgreSQL may choose a generic plan by itself.
      for (let i = 0; i < 5; i += 1)
        await sql`select 'usual' as kind, count(note.text) as n from note where note.text = ${'x'}`.execute(
          db,
        )
      expect((await plansOf(db)).rows).toEqual(plans)
      await one.close()
    },
  )

  test('leaves its mode to no other statement, of either organization', async ({ world: { tenants } }) => {
    const [one, two] = [tenants.forOrg(31), tenants.forOrg(32)]
    await write(one, 31, 'x')
    await write(two, 32, 'x')
    const modes = await Promise.all([
      modeOf(usual(one)), modeOf(fixed(one)), modeOf(usual(one)), modeOf(fixed(two)), modeOf(fixed(one)), modeOf(usual(two)),
    ]) // oxfmt-ignore
    expect(modes).toEqual(['auto', FIXED, 'auto', FIXED, FIXED, 'auto'])
    expect((await fixed(two)).rows).toHaveLength(1)
  })

  test('works in a transaction, whether it starts, ends or rolls it back', async ({ world: { tenants } }) => {
    await write(tenants.forOrg(33), 33, 'x')
    const both = (order: 'fixed first' | 'fixed last', fails = false) =>
      tenants.transaction(33, async (tx) => {
        const found = order === 'fixed first' ? [fixed(tx), usual(tx)] : [usual(tx), fixed(tx)]
        const modes = await Promise.all(found.map(modeOf)) // sent at once
        expect(modes).toEqual(order === 'fixed first' ? [FIXED, 'auto'] : ['auto', FIXED])
        if (fails) throw new Error('on purpose')
      })
    for (const order of ['fixed first', 'fixed last', 'fixed last', 'fixed first'] as const) {
      await both(order)
      await expect(both(order, true)).rejects.toThrow('on purpose')
      expect(
        await modeOf(order === 'fixed first' ? fixed(tenants.forOrg(33)) : usual(tenants.forOrg(33))),
      ).toBe(order === 'fixed first' ? FIXED : 'auto')
    }
  })

  test('keeps its mode if a commit turns out to be a rollback', async ({ world: { tenants } }) => {
    await write(tenants.forOrg(34), 34, 'x')
    await usual(tenants.forOrg(34))
    const failed = tenants.transaction(34, async (tx) => {
      await fixed(tx)
      await sql`select 1 / 0`.execute(tx).catch(() => undefined)
    })
    await expect(failed).rejects.toThrow('rolled back instead of committed')
    expect(await modeOf(fixed(tenants.forOrg(34)))).toBe(FIXED)
  })

  test('must name its columns, because a migration may add one', async ({ world: { tenants } }) => {
    const all = sql`${fixedPlan} select n.* from note n`.execute(tenants.forOrg(35))
    await expect(all).rejects.toThrow('must name its columns')
    const built = tenants.forOrg(35).selectFrom('note').modifyFront(fixedPlan).selectAll().execute()
    await expect(built).rejects.toThrow('must name its columns')
  })
})

describe('timeouts', () => {
  const timeoutOf = async (db: Kysely<Tables>) =>
    (await sql<{ statement_timeout: string }>`show statement_timeout`.execute(db)).rows[0]?.statement_timeout

  test('a read may take five seconds, a statement of a transaction thirty', async ({
    world: { tenants },
  }) => {
    expect(await tenants.transaction(1, timeoutOf)).toBe('30s')
    const failed = tenants.transaction(1, async (tx) => {
      await sql`select 1 / 0`.execute(tx)
    })
    await expect(failed).rejects.toThrow('division by zero')
    expect(await timeoutOf(tenants.forOrg(1))).toBe('5s')
  })

  test('a read that takes too long is answered with 503 and advice, and its connection serves the next', async ({
    world: { database },
  }) => {
    const hasty = openTenantDatabase<Tables>(database.url, { max: 1, name: 'hasty', readTimeoutMs: 50 })
    const pidOf = async () => (await sql<object>`select pg_backend_pid()`.execute(hasty.forOrg(1))).rows
    const pid = await pidOf()
    const sleep = (db: Kysely<Tables>) => sql`select pg_sleep(0.2)`.execute(db)
    const refused: unknown = await sleep(hasty.forOrg(1)).catch(toAppError)
    expect(refused).toMatchObject({
      status: 503,
      message: expect.stringContaining('Narrow it'),
      headers: { 'retry-after': '1' },
    })
    await hasty.transaction(1, sleep)
    expect(await pidOf()).toEqual(pid)
    await hasty.close()
  })
})

describe('a request whose client has gone', () => {
  const inRequest = <T>(signal: AbortSignal, work: () => Promise<T>) =>
    withTrace({ ...rootTrace(), client: new RequestClient(responseOf(signal)) }, work)
  /** A response that closes early when `signal` aborts. */
  const responseOf = (signal: AbortSignal) => {
    const response = Object.assign(new EventEmitter(), { closed: signal.aborted, writableFinished: false })
    signal.addEventListener('abort', () => {
      response.closed = true
      response.emit('close')
    })
    return response as unknown as ServerResponse
  }
  const sleep = (db: Kysely<Tables>) => sql`select pg_sleep(60)`.execute(db)
  const gone = expect.objectContaining({ type: 'service_unavailable', isCounted: true })

  test('ends its statement at the server, loses its connection and its turn', async ({
    world: { database },
  }) => {
    const shared = openTenantDatabase<Tables>(database.url, { max: 1, name: 'left', readTimeoutMs: 60_000 })
    const sleeping = async () =>
      (
        await sql<{ n: number }>`
        select count(*)::int as n from pg_stat_activity
        where application_name = 'left' and state = 'active' and query like '%pg_sleep%'`.execute(database.db)
      ).rows[0]?.n
    const clients = [new AbortController(), new AbortController()]
    const left = clients.map(({ signal }) => inRequest(signal, () => sleep(shared.forOrg(1))))
    const ends = Promise.allSettled(left)
    await expect.poll(sleeping).toBe(1)
    const other = readAll(shared.forOrg(2))
    for (const client of clients) client.abort()
    expect(await ends).toMatchObject([{ reason: gone }, { reason: gone }])
    expect(await other).toEqual(expect.any(Array))
    await expect.poll(sleeping).toBe(0)
    await expect.poll(() => shared.load()).toMatchObject({ inUse: 0, waiting: 0 })
    const late = inRequest(AbortSignal.abort(), () => readAll(shared.forOrg(1)))
    await expect(late).rejects.toEqual(gone)
    await shared.close()
  })

  test('never harms the statements of others on the same pool', async ({ world: { database } }) => {
    const shared = openTenantDatabase<Tables>(database.url, { max: 2, name: 'mixed' })
    const attempts = Array.from({ length: 200 }, async (_, i) => {
      const client = new AbortController()
      const leaving = inRequest(client.signal, () => sql`select pg_sleep(0.005)`.execute(shared.forOrg(1)))
      const staying = sql`select pg_sleep(0.002)`.execute(shared.forOrg(2))
      setTimeout(() => client.abort(), i % 10)
      const [left] = await Promise.all([leaving.catch((error: unknown) => error), staying])
      return left
    })
    const errors = (await Promise.all(attempts)).filter((result) => result instanceof Error)
    expect(errors.length).toBeGreaterThan(0)
    for (const error of errors) expect(error).toEqual(gone)
    await expect.poll(() => shared.load()).toMatchObject({ inUse: 0, waiting: 0 })
    await shared.close()
  })
})

describe('an organization with many slow statements', () => {
  const slow = (db: Kysely<Tables>) => sql`select pg_sleep(0.03)`.execute(db)

  test('leaves connections to others, and gets all its answers (ADR 63)', async ({ world: { database } }) => {
    const shared = openTenantDatabase<Tables>(database.url, { max: 4, name: 'shared' })
    let answers = 0
    const flood = Array.from({ length: 300 }, async () => {
      await slow(shared.forOrg(1))
      answers += 1
    })
    await expect.poll(() => shared.load().waiting).toBeGreaterThan(200)
    for (let i = 0; i < 3; i += 1) expect(await readAll(shared.forOrg(2))).toEqual(expect.any(Array))
    expect(answers).toBeLessThan(150) // first come, first served, it would be 296 at least
    await Promise.all(flood)
    expect(shared.load()).toMatchObject({ inUse: 0, waiting: 0 })
    await shared.close()
  })

  test('gets 429 for those beyond a thousand, and others are served', async ({ world: { database } }) => {
    const shared = openTenantDatabase<Tables>(database.url, { max: 2, name: 'shared' })
    const flood = Array.from({ length: 1_002 }, () => readAll(shared.forOrg(1)))
    expect((await Promise.allSettled(flood.slice(1_001)))[0]).toMatchObject({
      reason: { type: 'rate_limited', headers: { 'retry-after': '1' } },
    })
    expect(await flood.at(-1)?.catch(isDatabaseOutage)).toBe(true) // so consumers and loops retry
    expect(await readAll(shared.forOrg(2))).toEqual(expect.any(Array))
    await Promise.all(flood.slice(0, 1_001))
    await shared.close()
  })

  test('frees its places after statements that fail and connections that cannot be opened', async ({
    world: { database },
  }) => {
    const shared = openTenantDatabase<Tables>(database.url, { max: 2, name: 'shared' })
    const failing = Array.from({ length: 5 }, () => sql`select 1 / 0`.execute(shared.forOrg(1)))
    for (const one of failing) await expect(one).rejects.toThrow('division by zero')
    expect(await readAll(shared.forOrg(1))).toEqual(expect.any(Array))
    await shared.close()
    for (let i = 0; i < 3; i += 1)
      await expect(readAll(shared.forOrg(1))).rejects.toThrow('after calling end on the pool')
    expect(shared.load().waiting).toBe(0)
  })
})
