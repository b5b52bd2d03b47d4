import { assetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { publishMany } from '@whereabouts/messaging/messages/publish'
import { openDatabase } from '@whereabouts/db/connect/database'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Tables } from '../db.ts'
import { movedEvent, test } from '../../test/dispatcher.fixture.ts'
import { eventRecorder } from './recorder.consumer.ts'
import { startRecording } from './recording.ts'

const SOON = { timeout: 15_000 }

test('one replica records at a time, and when it ends or loses its connection, another goes on in order', async ({
  bus,
  database,
  orgId,
}) => {
  const woken = [0, 0]
  const replicas = woken.map((_, n) => {
    const own = openDatabase<Tables>(urlAs('worker', database.url), { max: 2, name: `replica ${n}` })
    const recorder = eventRecorder(own.db, () => void (woken[n] = (woken[n] ?? 0) + 1))
    const run = { logger: bus.logger, graceMs: 5_000 }
    const recording = startRecording(bus.broker, recorder, { pool: own.pool, log: bus.logger, run })
    return { own, recording }
  })
  const ids: string[] = []
  const recorded = async () =>
    (
      await database.db.selectFrom('event').select('id').where('org_id', '=', orgId).orderBy('seq').execute()
    ).map(({ id }) => id)
  const happen = async () => {
    const events = Array.from({ length: 50 }, () => movedEvent(orgId))
    ids.push(...events.map((event) => event.delivery_id))
    await publishMany(
      bus.broker,
      events.map((event) => ({
        subject: assetMoved.subject(event),
        payload: event,
        msgId: event.delivery_id,
      })),
    )
    await expect.poll(recorded, SOON).toEqual(ids)
  }
  await happen()
  for (let round = 0; round < 3; round += 1) {
    const before = [...woken]
    await happen()
    expect(woken.filter((count, n) => count !== before[n])).toHaveLength(1) // the other waits
    await sql`select pg_terminate_backend(l.pid) from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and a.application_name like 'replica %'`.execute(database.db)
    await happen()
  }
  const leader = woken.findIndex((count) => count === Math.max(...woken))
  await replicas[leader]?.recording.stop()
  await happen()
  for (const { own, recording } of replicas) {
    await recording.stop()
    await own.close()
  }
})
