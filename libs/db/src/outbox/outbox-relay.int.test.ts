import { eventually } from '@whereabouts/testing/eventually'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineMessage } from '@whereabouts/contracts/messages/message'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import { createServiceDatabase } from '@whereabouts/testing/database/database'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { openDatabase } from '../connect/database.ts'
import { skipIssued } from '../minted-ids.ts'
import { enqueue, type OutboxTable } from './outbox.ts'
import { newestPerSubject, startOutboxRelay, type OutboxRow } from './outbox-relay.ts'

type Tables = { outbox: OutboxTable; thing: { id: number } }

const log = createLogger('test', 'silent')
const state = defineMessage({
  name: 'thing state',
  schema: z.object({ id: z.int(), revision: z.int() }),
  keep: 'last',
  subject: (thing) => `things.${thing.id}`,
})
const event = defineMessage({
  name: 'thing happened',
  schema: z.object({ id: z.string() }),
  keep: 'all',
  subject: () => 'events.thing',
  messageId: (thing) => thing.id,
})

const MIGRATION = `
import { createOutbox } from ${JSON.stringify(new URL('./outbox.ts', import.meta.url).href)}
import { createMintedIds } from ${JSON.stringify(new URL('../minted-ids.ts', import.meta.url).href)}
import { sql } from ${JSON.stringify(import.meta.resolve('kysely'))}
export async function up(db) {
  await createOutbox(db)
  await createMintedIds(db, 5)
  await sql\`create table thing (id bigint primary key default mint_id())\`.execute(db)
}`

let folder: string
let database: Awaited<ReturnType<typeof createServiceDatabase<Tables>>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'migrations-'))
  writeFileSync(join(folder, '0001_things.ts'), MIGRATION)
  database = await createServiceDatabase<Tables>('outbox_test', folder)
})
afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  await database.db.deleteFrom('outbox').execute()
})

const put = (revisions: readonly number[], id = 1) =>
  database.db.transaction().execute((tx) =>
    enqueue(
      tx,
      state,
      revisions.map((revision) => ({ id, revision })),
    ),
  )
/** Other suites hold locks in the same cluster. */
const OF_THIS_DATABASE = `database = (select oid from pg_database where datname = current_database())`
/** For conditions that hold within milliseconds on an idle machine. */
const PATIENT = { timeout: 10_000 }
const waiting = async () =>
  (await database.db.selectFrom('outbox').selectAll().orderBy('id').execute()).length

/** A broker that stores all rows, or none after `refuse(true)`. */
function collector() {
  const sent: OutboxRow[] = []
  let refuse = false
  return {
    sent,
    refuse: (yes: boolean) => {
      refuse = yes
    },
    publish: async (rows: readonly OutboxRow[]) => {
      if (!refuse) sent.push(...rows)
      return rows.map(() => !refuse)
    },
  }
}

describe('outbox', () => {
  test('a change that is rolled back publishes nothing', async () => {
    const failing = database.db.transaction().execute(async (tx) => {
      await enqueue(tx, state, [{ id: 1, revision: 1 }])
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await waiting()).toBe(0)
  })

  test('rows are published in order, with their id for deduplication, and then removed', async () => {
    const broker = collector()
    await withTrace({ ...rootTrace(), requestId: 'r1' }, () =>
      database.db.transaction().execute((tx) => enqueue(tx, event, [{ id: 'a' }, { id: 'b' }, { id: 'c' }])),
    )
    const relay = startOutboxRelay({ pool: database.pool, publish: broker.publish, log })
    await vi.waitFor(() => expect(broker.sent.map((row) => row.msg_id)).toEqual(['a', 'b', 'c']), PATIENT)
    expect(broker.sent[0]).toMatchObject({
      subject: 'events.thing',
      payload: { id: 'a' },
      headers: { request_id: 'r1', traceparent: expect.stringMatching(/^00-/) },
    })
    await vi.waitFor(async () => expect(await waiting()).toBe(0), PATIENT)
    await relay.stop()
  })

  test('a row that the broker did not store stays and is sent again', async () => {
    const broker = collector()
    broker.refuse(true)
    await put([1])
    const relay = startOutboxRelay({ pool: database.pool, publish: broker.publish, log })
    await vi.waitFor(() => expect(relay.ageSeconds()).toBeGreaterThan(0), PATIENT)
    expect(await waiting()).toBe(1)
    broker.refuse(false)
    await vi.waitFor(() => expect(broker.sent).toHaveLength(1), PATIENT)
    await relay.stop()
  })

  test('only the newest state of an entity is sent', async () => {
    const broker = collector()
    await put([1, 2, 3])
    await put([1], 2)
    const relay = startOutboxRelay({ pool: database.pool, publish: broker.publish, log })
    await eventually(() =>
      expect(broker.sent.map((row) => row.payload)).toEqual([
        { id: 1, revision: 3 },
        { id: 2, revision: 1 },
      ]),
    )
    await vi.waitFor(async () => expect(await waiting()).toBe(0), PATIENT)
    await relay.stop()
  })

  test('one of two replicas publishes, and the other takes over when it stops', async () => {
    const [first, second] = [collector(), collector()]
    const other = openDatabase<Tables>(database.url, { max: 3 })
    const one = startOutboxRelay({ pool: other.pool, publish: first.publish, log })
    await put([1])
    await vi.waitFor(() => expect(first.sent).toHaveLength(1), PATIENT)
    const two = startOutboxRelay({ pool: database.pool, publish: second.publish, log })
    await one.stop()
    await put([2])
    await vi.waitFor(() => expect(second.sent).toHaveLength(1), PATIENT)
    await two.stop()
    await other.close()
  })

  test('a killed database session loses no message', async () => {
    const broker = collector()
    const relay = startOutboxRelay({ pool: database.pool, publish: broker.publish, log })
    await vi.waitFor(async () => expect(await lockHolders()).toBe(1), PATIENT)
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and ${OF_THIS_DATABASE}`,
    )
    await put([7])
    await vi.waitFor(() => expect(broker.sent).toHaveLength(1), PATIENT)
    await relay.stop()
  })

  test('another replica takes over from one that does nothing more, but whose connection stays open', async () => {
    const broker = collector()
    const other = openDatabase<Tables>(database.url, { max: 3 })
    const { promise: answer, resolve } = Promise.withResolvers<boolean[]>()
    const lost = startOutboxRelay({ pool: other.pool, publish: () => answer, log, leaderIdleMs: 300 })
    await put([8])
    await vi.waitFor(async () => expect(await lockHolders()).toBe(1), PATIENT)
    const relay = startOutboxRelay({ pool: database.pool, publish: broker.publish, log })
    await vi.waitFor(() => expect(broker.sent).toHaveLength(1), PATIENT)
    await relay.stop()
    resolve([])
    await lost.stop()
    await other.close()
  })

  test('stop() publishes the waiting rows', async () => {
    const broker = collector()
    const relay = startOutboxRelay({ pool: database.pool, publish: broker.publish, log, pollMs: 60_000 })
    await vi.waitFor(async () => expect(await lockHolders()).toBe(1), PATIENT)
    await put([1])
    await relay.stop()
    expect(broker.sent).toHaveLength(1)
    expect(await waiting()).toBe(0)
  })
})

async function lockHolders(): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(
    `select count(*)::int as n from pg_locks where locktype = 'advisory' and ${OF_THIS_DATABASE}`,
  )
  return rows[0]?.n ?? 0
}

test('events and states of different entities are never merged', () => {
  const row = (id: number, subject: string, keep: 'last' | 'all') => ({
    id,
    subject,
    keep,
    msg_id: '',
    payload: {},
    headers: {},
    age: 0,
  })
  const rows = [
    row(1, 'e', 'all'),
    row(2, 's1', 'last'),
    row(3, 'e', 'all'),
    row(4, 's1', 'last'),
    row(5, 's2', 'last'),
  ]
  expect(newestPerSubject(rows).map((r) => r.id)).toEqual([1, 3, 4, 5])
})

describe('minted ids', () => {
  test('are unique, at most 2^53-1, in the share of their service, and do not show their order', async () => {
    const { rows } = await database.pool.query<{ id: number }>(
      'select mint_id() as id from generate_series(1, 5000)',
    )
    const ids = rows.map((row) => row.id)
    expect(new Set(ids).size).toBe(5000)
    const share = 2 ** 50
    expect(ids.every((id) => Number.isSafeInteger(id) && Math.floor(id / share) === 5)).toBe(true)
    const rising = ids.filter((id, i) => i > 0 && id > (ids[i - 1] ?? 0)).length
    expect(rising).toBeGreaterThan(2_000)
    expect(rising).toBeLessThan(3_000)
  })

  test('are not issued again after a restore, nor after another restore of the same backup', async () => {
    const { pool, db } = database
    const mint = async () =>
      (await pool.query<{ id: number }>('select mint_id() as id from generate_series(1, 500)')).rows
    const backup = await pool.query<{ last_value: number }>('select last_value from id_sequence')
    const restoreBackup = () => pool.query(`select setval('id_sequence', ${backup.rows[0]?.last_value})`)
    const given = await mint()
    await restoreBackup()
    await skipIssued(db)
    given.push(...(await mint()))
    await restoreBackup()
    await skipIssued(db)
    given.push(...(await mint()))
    expect(new Set(given.map(({ id }) => id)).size).toBe(1_500)
    expect(given.every(({ id }) => Math.floor(id / 2 ** 50) === 5)).toBe(true)
  })
})
