import { eventually } from '@whereabouts/testing/eventually'
import { expect } from 'vitest'
import { newEvent, numbersOf, range, record, test, type Replica } from '../../test/events.fixture.ts'

const held = async ({ metrics }: Replica) =>
  Number(/^event_streams(?:\{.*\})? (\d+)/m.exec(await metrics())?.[1])
const holds = (replica: Replica, count: number) =>
  eventually(async () => expect(await held(replica)).toBe(count))

test('D13.2 a poll waits for the first event that fits, round after round, whichever replica records it', async ({
  database,
  orgId,
  newOrg,
  replica,
}) => {
  const reader = await replica()
  let { cursor } = (await reader.get(orgId)).body
  const other = newOrg()
  for (const round of [1, 2, 3]) {
    const answer = reader.get(orgId, `?wait=30&type=asset.moved&after=${cursor}`)
    await holds(reader, 1)
    await record(database.worker.db, [newEvent(other, 0), newEvent(orgId, 0, 'asset.created')])
    await record(database.worker.db, [newEvent(orgId, round)])
    const { body } = await answer
    expect([numbersOf(body.data), body.has_more]).toEqual([[round], false])
    cursor = body.cursor
    expect(await held(reader)).toBe(0)
  }
})

test('D13.2 a poll without an event ends with the place that it has reached', async ({
  database,
  orgId,
  replica,
}) => {
  const reader = await replica()
  const waiting = reader.get(orgId, '?wait=1&type=asset.moved')
  await holds(reader, 1)
  await record(database.worker.db, [newEvent(orgId, 1, 'asset.created')])
  const { status, body } = await waiting
  expect([status, body.data, body.has_more]).toEqual([200, [], false])
  expect(await held(reader)).toBe(0)
})

test('the answer to HEAD does not wait, and opens no stream', async ({ orgId, replica }) => {
  const reader = await replica()
  const answered = reader.head(orgId, '?wait=30').then(({ status }) => status)
  expect(await Promise.race([answered, holds(reader, 1)])).toBe(200)
  const stream = await reader.head(orgId, '', 'text/event-stream')
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect(await held(reader)).toBe(0)
})

test('a service that stops answers what waits, and later requests at once', async ({ orgId, replica }) => {
  const reader = await replica()
  const answers = [reader.get(orgId, '?wait=30'), reader.get(orgId, '?wait=30')]
  await holds(reader, 2)
  const stopped = reader.stop()
  for (const { status, body } of await Promise.all(answers))
    expect([status, body.data, body.has_more]).toEqual([200, [], false])
  await stopped
})

test('D13.12 25 wait or stream at a time; one that leaves makes room; another organization is not affected', async ({
  orgId,
  newOrg,
  replica,
}) => {
  const reader = await replica()
  const leaving = new AbortController()
  const ended = Promise.allSettled([
    ...range(1, 12).map(() => reader.get(orgId, '?wait=30')),
    ...range(13, 24).map(async () => (await reader.open(orgId)).ended),
    reader.get(orgId, '?wait=30', leaving.signal),
  ])
  await holds(reader, 25)
  for (let round = 1; round <= 3; round += 1) {
    const { status, body } = await reader.get(orgId, '?wait=30')
    expect([status, body.error.type]).toEqual([429, 'rate_limited'])
    expect((await reader.open(orgId)).status).toBe(429)
    expect((await reader.get(orgId)).status).toBe(200)
  }
  const elsewhere = await reader.open(newOrg())
  expect(elsewhere.status).toBe(200)
  elsewhere.close()
  leaving.abort()
  await holds(reader, 24)
  const again = await reader.open(orgId)
  expect(again.status).toBe(200)
  await reader.stop()
  await ended
})
