import { openDatabase } from '@whereabouts/db/connect/database'
import { sql, type Kysely } from 'kysely'
import { expect, vi } from 'vitest'
import type { Tables } from '../../db.ts'
import { minuteOf, type Observation } from '../observation.ts'
import { store } from '../../../test/store.ts'
import { log, test, type Tracking } from '../../../test/tracking.fixture.ts'
import { createMonths } from '../../../test/partitions.ts'
import { maintainPartitions } from './partitions.loop.ts'
import { addDays, addMonths, dateOf, listPartitions, monthStart } from './partitions.queries.ts'
import { readBy } from '../../../test/read-by.ts'

const NOW = Date.now()
const TODAY = dateOf(NOW)
const OLD = addMonths(TODAY, -20)
const DAYS = Array.from({ length: 9 }, (_, n) => addDays(TODAY, n - 1))

const seen = (ms: number, assetId = 1): Observation => ({
  orgId: 1,
  assetId,
  minute: minuteOf(ms),
  observedAtMs: ms,
  locationId: null,
  ...readBy('r'),
})

/** The first days of the partitions of a table. */
const firstDays = async (db: Kysely<Tables>, table = 'scan') =>
  (await listPartitions(db)).flatMap(({ of, state, first }) =>
    of === table && state === 'attached' ? [first] : [],
  )
const monthsOf = (days: readonly string[]) => [...new Set(days.map(monthStart))]

const maintain = ({ db }: Pick<Tracking, 'db'>, options: { now?: number; lockTimeoutMs?: number } = {}) =>
  maintainPartitions({
    owner: db,
    retentionDays: 400,
    log,
    now: () => options.now ?? NOW,
    ...(options.lockTimeoutMs !== undefined && { lockTimeoutMs: options.lockTimeoutMs }),
  })

/** Runs `work` while a transaction is open that executed `statement`. `end` ends the transaction early. */
async function meanwhile(
  db: Kysely<Tables>,
  statement: ReturnType<typeof sql>,
  work: (end: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const ending = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const transaction = db.transaction().execute(async (tx) => {
    await statement.execute(tx)
    begun.resolve()
    await ending.promise
  })
  const end = async () => {
    ending.resolve()
    await transaction
  }
  await begun.promise
  await work(end).finally(end)
}

const isWaiting = async (db: Kysely<Tables>) => {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length > 0
}

test('days from the last one to seven ahead are created, also while scans are stored', async ({
  tracking,
}) => {
  const { db } = tracking
  const inTwoMonths = Date.parse(`${addMonths(TODAY, 2)}T12:00:00Z`)
  const storing = sql`insert into scan (org_id, asset_id, minute, observed_at) values (1, 1, now(), now())`
  await meanwhile(db, storing, () => maintain(tracking, { now: inTwoMonths }))
  const later = Array.from({ length: 9 }, (_, n) => addDays(dateOf(inTwoMonths), n - 1))
  expect(await firstDays(db)).toEqual([...DAYS, ...later])
  for (const table of ['movement', 'day_packed'])
    expect(await firstDays(db, table)).toEqual(monthsOf([...DAYS, ...later]))
})

test('whole months beyond the retention are dropped, and no others', async ({ tracking }) => {
  const { db } = tracking
  const oldest = monthStart(dateOf(NOW - 400 * 86_400_000))
  await createMonths(db, [OLD, addMonths(oldest, -1), oldest])
  await maintain(tracking)
  expect(await firstDays(db)).toEqual([oldest, ...DAYS])
  expect(await firstDays(db, 'movement')).toEqual(monthsOf([oldest, ...DAYS]))
})

test('dropping a month waits for its readers, and blocks no other statement', async ({ tracking }) => {
  const { db, view } = tracking
  await createMonths(db, [OLD])
  await meanwhile(db, sql`select count(*) from scan`, async (end) => {
    const dropping = maintain(tracking, { lockTimeoutMs: 60_000 })
    await vi.waitUntil(() => isWaiting(db))
    await store(db, view, [seen(NOW)])
    const { rows } = await sql`select from scan where minute > now() - interval '1 day'`.execute(db)
    expect(rows).toHaveLength(1)
    await end()
    await dropping
  })
  expect(await firstDays(db)).not.toContain(OLD)
})

test('after the lock timeout, the next run continues where this one stopped', async ({ tracking }) => {
  const { db } = tracking
  const earlier = addMonths(OLD, -1)
  await createMonths(db, [earlier, OLD])
  await sql`alter table scan detach partition ${sql.table(`scan_${earlier.slice(0, 7).replace('-', '_')}`)}`.execute(
    db,
  ) // like a killed run
  await meanwhile(db, sql`select count(*) from scan`, async () => {
    await expect(maintain(tracking, { lockTimeoutMs: 100 })).rejects.toThrow('lock timeout')
    expect(await listPartitions(db)).toContainEqual(
      expect.objectContaining({ of: 'scan', first: OLD, state: 'detaching', is_protected: true }),
    )
  })
  await maintain(tracking)
  expect(await firstDays(db)).toEqual(DAYS)
})

test('two replicas that maintain partitions at once create each day once', async ({ tracking }) => {
  const other = openDatabase<Tables>(tracking.url, { max: 2 })
  const now = Date.parse(`${addMonths(TODAY, 12)}T00:00:00Z`)
  await Promise.all([maintain(tracking, { now }), maintain(other, { now }), maintain(tracking, { now })])
  await other.close()
  expect(await firstDays(tracking.db)).toContain(addDays(addMonths(TODAY, 12), 7))
})

test('a session is returned to the pool unchanged', async ({ tracking }) => {
  const single = openDatabase<Tables>(tracking.url, { max: 1 })
  await maintain(single)
  const { rows } = await sql`show lock_timeout`.execute(single.db)
  expect(rows).toEqual([{ lock_timeout: '0' }])
  await maintain(tracking) // the lock is free
  await single.close()
})

test('a scan or a save of a day without a partition is stored', async ({ tracking }) => {
  const { catalog, db, view } = tracking
  const [asset] = [catalog.asset(1, 'One'), catalog.location(1, 'Dock')]
  const [later, evenLater] = [5, 7].map((n) => Date.parse(`${addMonths(TODAY, n)}T00:00:00Z`)) as [
    number,
    number,
  ]
  await store(db, view, [seen(NOW), seen(later)])
  tracking.clock.stoppedAt = evenLater
  const body = { asset_identifiers: ['ONE'], location_identifier: 'DOCK' }
  expect((await tracking.call('POST', '/inventory/save', { body })).statusCode).toBe(201)
  const rows = await db
    .selectFrom('scan')
    .select(['asset_id', 'observed_at'])
    .orderBy('observed_at')
    .execute()
  expect(rows).toEqual([
    { asset_id: 1, observed_at: new Date(NOW).toISOString() },
    { asset_id: 1, observed_at: new Date(later).toISOString() },
    { asset_id: asset.id, observed_at: new Date(evenLater).toISOString() },
  ])
})
