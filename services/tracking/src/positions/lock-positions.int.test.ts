import { openDatabase } from '@whereabouts/db/connect/database'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Tables } from '../db.ts'
import { waitingForLocks } from '../../test/waiting-for-locks.ts'
import { test } from '../../test/tracking.fixture.ts'
import { lockPositions } from './lock-positions.queries.ts'

const key = (assetId: number) => ({ orgId: 1, assetId })

test('while it waits to insert a missing position, it holds no lock on the others', async ({ tracking }) => {
  const { db } = tracking
  const other = openDatabase<Tables>(tracking.url, { max: 2 })
  await db.transaction().execute((tx) => lockPositions(tx, [key(1), key(3)]))
  const waiting = await other.db.transaction().execute(async (inserting) => {
    await lockPositions(inserting, [key(2)])
    const locked = db.transaction().execute((tx) => lockPositions(tx, [key(1), key(2), key(3)]))
    await expect.poll(() => waitingForLocks(db)).toBe(1)
    // Another writer of the first asset may go on. If it also waited for this one, both would deadlock.
    const free = await sql`select from position where asset_id in (1, 3) for update nowait`.execute(inserting)
    expect(free.rows).toHaveLength(2)
    return [locked]
  })
  expect(await Promise.all(waiting)).toEqual([[]]) // none was seen yet
  await other.close()
})

test('a limit of the wait also holds for positions that it inserts', async ({ tracking }) => {
  const other = openDatabase<Tables>(tracking.url, { max: 2 })
  await tracking.db.transaction().execute((tx) => lockPositions(tx, [key(1)]))
  await tracking.db.transaction().execute(async (tx) => {
    await lockPositions(tx, [key(1)])
    for (const keys of [[key(1)], [key(1), key(2)]]) {
      const late = other.db.transaction().execute((mine) => lockPositions(mine, keys, { maxWaitMs: 20 }))
      await expect(late).rejects.toMatchObject({ code: '55P03' })
    }
  })
  await other.close()
})
