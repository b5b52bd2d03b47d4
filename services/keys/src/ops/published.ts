import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../db.ts'

const LOOK_EVERY_MS = 50

/**
 * Waits until the running service has published all that is committed now. False after `timeoutMs`: then it is
 * published as soon as a running service reaches the broker.
 */
export async function untilPublished(db: Db, timeoutMs: number): Promise<boolean> {
  const last = await newestOutboxRow(db)
  if (last === null) return true
  for (const until = Date.now() + timeoutMs; Date.now() < until; await delay(LOOK_EVERY_MS)) {
    const left = await db.selectFrom('outbox').select('id').where('id', '<=', last).limit(1).execute()
    if (left.length === 0) return true
  }
  return false
}

async function newestOutboxRow(db: Db): Promise<number | null> {
  const { id } = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.max<number | null>('id').as('id'))
    .executeTakeFirstOrThrow()
  return id
}
