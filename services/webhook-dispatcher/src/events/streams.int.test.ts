import { eventually } from '@whereabouts/testing/eventually'
import { expect } from 'vitest'
import type { StreamedEvent } from '@whereabouts/testing/event-stream'
import { newEvent, numbersOf, range, record, test } from '../../test/events.fixture.ts'
import { recordEvents } from './events.queries.ts'
import { purgeEvents } from './purge.loop.ts'

const read = (events: readonly StreamedEvent[]) =>
  numbersOf(events.map(({ data }) => JSON.parse(data) as { data: unknown }))

test('D13.3 D13.12 a stream has what was recorded and what comes, and is not buffered', async ({
  database,
  orgId,
  newOrg,
  replica,
}) => {
  const { open } = await replica()
  const { db } = database.worker
  const first = newEvent(orgId, 1)
  await record(db, [first])
  const stream = await open(orgId, '?limit=1')
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'private, no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  await stream.next(1)
  await record(db, [newEvent(newOrg(), 9), newEvent(orgId, 2), newEvent(orgId, 3)])
  const events = await stream.next(3)
  expect(read(events)).toEqual([1, 2, 3])
  expect(events.map(({ event }) => event)).toEqual(['message', 'message', 'message'])
  expect(JSON.parse(events[0]!.data)).toMatchObject({ id: first.id, type: 'asset.moved', data: { n: 1 } })
  stream.close()
})

test('D13.3 a stream resumes by Last-Event-ID, which wins over after, over restarts of the service', async ({
  database,
  orgId,
  replica,
}) => {
  const { db } = database.worker
  let lastId: string | undefined
  const seen: number[] = []
  for (const round of range(1, 4)) {
    const service = await replica()
    const stream = await service.open(orgId, '?after=now', lastId)
    await eventually(() => expect(stream.lastId()).not.toBe(''))
    await record(db, [newEvent(orgId, 10 * round), newEvent(orgId, 10 * round + 1)])
    await stream.next(round === 1 ? 2 : 3)
    await service.stop()
    expect(await stream.ended).toBe('complete')
    seen.push(...read(stream.events))
    lastId = stream.lastId()
    await record(db, [newEvent(orgId, 10 * round + 2)]) // while nobody listens
  }
  expect(seen).toEqual([10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41])
})

test('D13.12 a quiet stream shows that it is alive, and its place, so that it can resume after a quiet week', async ({
  database,
  orgId,
  replica,
}) => {
  const { open } = await replica({ heartbeatMs: 30 })
  const stream = await open(orgId, '?type=asset.moved')
  for (const round of [1, 2, 3]) {
    await eventually(() => expect(stream.lastId()).not.toBe(''))
    const before = stream.lastId()
    await record(database.worker.db, [newEvent(orgId, round, 'asset.created')])
    await eventually(() => expect(stream.lastId()).not.toBe(before))
  }
  expect(stream.events).toEqual([])
  stream.close()
})

test('errors before the first byte are answers of the API', async ({ database, orgId, replica }) => {
  const { open } = await replica()
  const { db } = database.worker
  await record(db, [newEvent(orgId, 1), newEvent(orgId, 2)])
  const stream = await open(orgId)
  const [first] = await stream.next(1)
  stream.close()
  await purgeEvents(db, '2999-01-01T00:00:00Z')
  for (const [lastId, status] of [
    [first!.id, 410],
    ['garbage', 400],
  ] as const) {
    const refused = await open(orgId, '', lastId)
    expect([refused.status, refused.headers['content-type']]).toEqual([
      status,
      expect.stringMatching(/^application\/json/),
    ])
    expect(JSON.parse(await refused.body)).toHaveProperty('error.status', status)
  }
})

test('D13.3 a client that does not read is not read for, and then misses nothing', async ({
  database,
  orgId,
  replica,
}) => {
  const { open } = await replica()
  const { db } = database.worker
  const more = 'x'.repeat(20_000)
  for (let at = 0; at < 2_000; at += 100) {
    const events = range(at + 1, at + 100).map((n) => newEvent(orgId, n, 'asset.moved', more))
    await recordEvents(db, events)
  }
  const stream = await open(orgId)
  await stream.next(1)
  stream.pause()
  // Nobody has read the newest events yet, or they would be sent.
  await database.db.deleteFrom('event').where('org_id', '=', orgId).where('seq', '>', 1_901).execute()
  await record(db, [newEvent(orgId, 9_999)])
  stream.resume()
  expect(read(await stream.next(1_901))).toEqual([...range(1, 1_900), 9_999])
  stream.close()
})
