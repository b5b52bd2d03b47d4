import { sql, type Kysely } from 'kysely'
import { openDatabase } from '@whereabouts/db/connect/database'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Tables } from '../../src/db.ts'
import { startReplica } from './replica.fixture.ts'
import { startStage, type Stage } from './stage.fixture.ts'

const MINUTE = 60_000
const T0 = Math.floor(Date.now() / MINUTE) * MINUTE - 300 * MINUTE
const [DOCK, SHELF] = [1, 2]
const FLOOD = 240

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())

/** Blocks all writes until the returned function is called. */
async function holdDatabase(db: Kysely<Tables>): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const done = db.transaction().execute(async (tx) => {
    await sql`lock table position in access exclusive mode`.execute(tx)
    locked.resolve()
    await held.promise
  })
  await locked.promise
  return async () => {
    held.resolve()
    await done
  }
}

/** The transactions that stored an organization's rows, in the order in which they started. */
async function transactions(db: Kysely<Tables>, orgId: number): Promise<number[]> {
  const { rows } = await sql<{ xid: string }>`
    select xmin::text as xid from scan where org_id = ${orgId} order by minute`.execute(db)
  return rows.map(({ xid }) => Number(xid))
}

test(
  'the scan of a quiet organization is stored before an earlier flood, and the flood in its order',
  { timeout: 60_000 },
  async () => {
    const [quiet, flooding] = [await stage.open(1, 1), await stage.open(2, 1)]
    const database = openDatabase<Tables>(stage.replica.databaseUrl, { max: 2 })
    const { db } = database
    const release = await holdDatabase(db)
    const replica = await startReplica(stage.replica)
    await stage.send(quiet, [{ asset: 0, antenna: DOCK, at: T0 }])
    // Every message is a movement: one that is handled too early would make earlier ones late, without events.
    for (let n = 0; n < FLOOD; n += 1) {
      const antenna = n % 2 === 0 ? DOCK : SHELF
      await stage.send(flooding, [{ asset: 0, antenna, at: T0 + n * MINUTE }], 16_384)
    }
    await vi.waitFor(async () => expect(await stage.overflowing()).toBeGreaterThan(100), 20_000)
    await stage.send(quiet, [{ asset: 0, antenna: SHELF, at: T0 + MINUTE }])
    await vi.waitFor(async () => expect(await stage.undelivered()).toBe(0), 20_000)
    await release()
    await stage.settled()
    await replica.stop()
    const [, second = Infinity] = await transactions(db, 1)
    const flood = await transactions(db, 2)
    await database.close()
    expect(flood).toHaveLength(FLOOD)
    expect(second).toBeLessThan(flood.at(-1) ?? 0)
    expect((await stage.outcome(quiet)).events).toHaveLength(2)
    expect((await stage.outcome(flooding)).events).toHaveLength(FLOOD)
  },
)
