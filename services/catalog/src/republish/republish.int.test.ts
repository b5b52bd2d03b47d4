import { OutboxNotPublished } from '@whereabouts/db/outbox/republish'
import { expect } from 'vitest'
import { test } from '../../test/catalog.fixture.ts'
import { awaitRoom, republishAll, republishState } from './states.ts'

test('all states are queued again unchanged, also of deleted rows, with any batch size', async ({
  catalog,
  otherOrg,
}) => {
  const tags = Array.from({ length: 3 }, (_, i) => ({ tag_type: 'rfid' as const, value: String(i) }))
  const gone = await catalog.asset({ tags })
  await catalog.location({ parent_id: (await catalog.location()).id })
  await catalog.asset()
  await catalog.delete(`/assets/${gone.id}`)
  await catalog.asset({}, { org: otherOrg })
  const newest = new Map((await catalog.takeOutbox()).map((message) => [message.subject, message.payload]))
  const totals = await republishAll(catalog.database.db, { batchSize: 2 })
  expect(totals).toEqual({ location: 2, asset: 3, tag: 3 })
  const again = await catalog.takeOutbox()
  expect(again).toHaveLength(newest.size)
  expect(new Map(again.map((message) => [message.subject, message.payload]))).toEqual(newest)
})

test('one state is queued again by its subject, deleted or not; an unknown subject queues nothing', async ({
  catalog,
}) => {
  const { db } = catalog.database
  const asset = await catalog.asset({ tags: [{ tag_type: 'rfid', value: 'again' }] })
  const location = await catalog.location()
  await catalog.delete(`/assets/${asset.id}`)
  const newest = new Map((await catalog.takeOutbox()).map((message) => [message.subject, message]))
  expect(newest.size).toBe(3)
  for (const { subject, payload } of newest.values()) {
    expect(await republishState(db, { subject })).toEqual({ published: true })
    expect(await catalog.takeOutbox()).toMatchObject([{ subject, payload }])
  }
  const { orgId } = catalog
  const foreign = [
    `catalog.asset.${orgId + 1}.${asset.id}`,
    `catalog.asset.${orgId}.${location.id}`,
    `catalog.asset.${orgId}.0${asset.id}`,
    `catalog.asset.${orgId}`,
    `catalog.outbox.${orgId}.${asset.id}`,
    '',
  ]
  for (const subject of foreign) expect(await republishState(db, { subject })).toEqual({ published: false })
  expect(await catalog.takeOutbox()).toEqual([])
  await expect(republishState(db, { subject: 7 })).rejects.toThrow('not a request for a state')
})

test('the next batch waits until the outbox has room', async ({ catalog }) => {
  const { db, pool } = catalog.database
  await catalog.asset({ tags: [{ tag_type: 'rfid', value: 'waits' }] })
  let waits = 0
  await awaitRoom(db, {
    atMost: 0,
    patienceMs: 60_000,
    onWait: () => {
      waits += 1
      void pool.query('delete from outbox')
    },
  })
  expect(waits).toBeGreaterThan(0)
  expect(await catalog.takeOutbox()).toEqual([])
})

test('an outbox that does not become shorter is an error', async ({ catalog }) => {
  await catalog.asset()
  const waiting = awaitRoom(catalog.database.db, { atMost: 0, patienceMs: 1 })
  await expect(waiting).rejects.toThrow(OutboxNotPublished)
  await catalog.takeOutbox()
})
