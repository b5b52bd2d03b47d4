import { skipIssued } from '@whereabouts/db/minted-ids'
import { expect } from 'vitest'
import { newEvent, numbersOf, range, record, test } from '../../test/events.fixture.ts'
import { cursorOf } from '@whereabouts/service-kit/http/cursor'
import { recordEvents } from './events.queries.ts'
import { purgeEvents } from './purge.loop.ts'

const FIELD = [{ field: 'after', code: 'invalid_value', message: 'after must be the cursor of an answer' }]

test('D13.1 D13.2 pages follow each other from the oldest event, with what an event says', async ({
  database,
  orgId,
  newOrg,
  replica,
}) => {
  const { get } = await replica()
  const empty = await get(orgId)
  expect(empty.body).toEqual({ data: [], cursor: expect.any(String), has_more: false })
  const first = newEvent(orgId, 1)
  await record(database.worker.db, [first, newEvent(newOrg(), 9), newEvent(orgId, 2), newEvent(orgId, 3)])
  const one = await get(orgId, '?limit=2')
  expect(numbersOf(one.body.data)).toEqual([1, 2])
  expect(one.body.has_more).toBe(true)
  expect(one.body.data[0]).toEqual({
    id: first.id,
    type: 'asset.moved',
    occurred_at: '2026-11-21T10:00:00.500Z',
    recorded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: { n: 1 },
  })
  const two = await get(orgId, `?after=${one.body.cursor}`)
  expect([numbersOf(two.body.data), two.body.has_more]).toEqual([[3], false])
  const three = await get(orgId, `?after=${two.body.cursor}`)
  expect(three.body).toEqual({ data: [], cursor: two.body.cursor, has_more: false })
  expect(numbersOf((await get(orgId, `?after=${empty.body.cursor}`)).body.data)).toEqual([1, 2, 3])
})

test('D13.2 after=now is from here on', async ({ database, orgId, replica }) => {
  const { get } = await replica()
  await record(database.worker.db, [newEvent(orgId, 1)])
  const now = await get(orgId, '?after=now')
  expect(now.body).toMatchObject({ data: [], has_more: false })
  await record(database.worker.db, [newEvent(orgId, 2)])
  expect(numbersOf((await get(orgId, `?after=${now.body.cursor}`)).body.data)).toEqual([2])
})

test('D13.2 D13.12 a cursor passes over what the filter leaves out, in bounded pages, and fits another filter', async ({
  database,
  orgId,
  replica,
}) => {
  const { get } = await replica()
  const { db } = database.worker
  await recordEvents(
    db,
    range(1, 5_010).map((n) => newEvent(orgId, n, 'asset.created')),
  )
  await record(db, [newEvent(orgId, 6_000), newEvent(orgId, 6_001, 'asset.created')])
  const passed = await get(orgId, '?type=asset.moved&type=tag.attached&wait=1')
  expect(passed.body).toEqual({ data: [], cursor: expect.any(String), has_more: true })
  const found = await get(orgId, `?type=asset.moved&after=${passed.body.cursor}`)
  expect([numbersOf(found.body.data), found.body.has_more]).toEqual([[6_000], false])
  const other = await get(orgId, `?type=asset.created&limit=1&after=${passed.body.cursor}`)
  expect(numbersOf(other.body.data)).toEqual([5_001])
  expect((await get(orgId, `?after=${found.body.cursor}`)).body.data).toEqual([])
})

test('D13.2 refuses garbage, the cursor of another organization, and a place that was never given', async ({
  database,
  orgId,
  newOrg,
  replica,
}) => {
  const { get } = await replica()
  const other = newOrg()
  await record(database.worker.db, [newEvent(orgId, 1), newEvent(other, 2)])
  const theirs = (await get(other)).body.cursor
  for (const cursor of [
    'garbage',
    'NOW',
    theirs,
    `${theirs}=`,
    cursorOf(orgId, 4_000),
    cursorOf(orgId, 2 ** 53),
  ]) {
    const { status, body } = await get(orgId, `?after=${encodeURIComponent(cursor)}`)
    expect([cursor, status, body.error]).toEqual([cursor, 400, expect.objectContaining({ fields: FIELD })])
  }
})

test('D13.12 an event that was removed is named as gone, with what can be read; nothing else is', async ({
  database,
  orgId,
  newOrg,
  replica,
}) => {
  const { get } = await replica()
  const { db } = database.worker
  const untouched = newOrg()
  await record(db, [newEvent(untouched, 1)])
  await recordEvents(
    db,
    range(1, 2_500).map((n) => newEvent(orgId, n)),
  )
  const start = (await get(orgId, '?limit=1')).body.cursor
  await database.db
    .updateTable('event')
    .set({ recorded_at: '2026-01-01T00:00:00Z' })
    .where('org_id', '=', orgId)
    .execute()
  const last = (await get(orgId, '?after=now')).body.cursor
  await record(db, [newEvent(orgId, 2_501)])
  await Promise.all([purgeEvents(db, '2026-01-02T00:00:00Z'), purgeEvents(db, '2026-01-02T00:00:00Z')])
  await purgeEvents(db, '2026-01-02T00:00:00Z')
  const { status, body } = await get(orgId, `?after=${start}`)
  const newest = (await get(orgId, '?after=now')).body.cursor
  expect([status, body.error.type, body.error.cursor]).toEqual([410, 'gone', { oldest: last, newest }])
  expect(numbersOf((await get(orgId, `?after=${last}`)).body.data)).toEqual([2_501])
  expect(numbersOf((await get(orgId)).body.data)).toEqual([2_501])
  expect(numbersOf((await get(untouched)).body.data)).toEqual([1])
  await purgeEvents(db, '2999-01-01T00:00:00Z')
  expect((await get(orgId, `?after=${newest}`)).body).toEqual({ data: [], cursor: newest, has_more: false })
  expect((await get(orgId, `?after=${last}`)).status).toBe(410)
})

test('an event that comes again, at once or three minutes later, is one event in its first place', async ({
  database,
  orgId,
  replica,
}) => {
  const { get } = await replica()
  const { db } = database.worker
  const [first, second] = [newEvent(orgId, 1), newEvent(orgId, 2)]
  await recordEvents(db, [first, second, first])
  const { cursor } = (await get(orgId)).body
  const early = { recorded_at: new Date(Date.now() - 3 * 60_000).toISOString() }
  await database.db.updateTable('event').set(early).where('org_id', '=', orgId).execute()
  await recordEvents(db, [second, newEvent(orgId, 3), first])
  expect(numbersOf((await get(orgId)).body.data)).toEqual([1, 2, 3])
  const next = (await get(orgId, `?after=${cursor}`)).body
  expect([numbersOf(next.data), next.has_more]).toEqual([[3], false])
})

test('after a restore, a cursor from before it goes on, and what is recorded again comes after it', async ({
  database,
  orgId,
  newOrg,
  replica,
}) => {
  const { get } = await replica()
  const { db } = database.worker
  const unknown = newOrg() // had no event when the backup was taken
  const [kept, lost] = [newEvent(orgId, 1), newEvent(orgId, 2)]
  for (const round of [1, 2, 3]) {
    await recordEvents(db, [kept])
    await recordEvents(db, [lost, newEvent(unknown, round)])
    const seen = { mine: (await get(orgId)).body.cursor, theirs: (await get(unknown)).body.cursor }
    // the older state
    await database.db.deleteFrom('event').where('id', '<>', kept.id).execute()
    await database.db.deleteFrom('event_head').where('org_id', '=', unknown).execute()
    const seq = database.db.selectFrom('event').select('seq').where('id', '=', kept.id)
    await database.db.updateTable('event_head').set({ seq }).where('org_id', '=', orgId).execute()
    await skipIssued(database.db)
    expect((await get(orgId, `?after=${seen.mine}`)).body).toEqual({
      data: [],
      cursor: seen.mine,
      has_more: false,
    })
    expect((await get(unknown, `?after=${seen.theirs}`)).body).toMatchObject({ data: [], has_more: false })
    await recordEvents(db, [kept, lost, newEvent(unknown, round)])
    expect(numbersOf((await get(orgId, `?after=${seen.mine}`)).body.data)).toEqual([2])
    expect(numbersOf((await get(unknown, `?after=${seen.theirs}`)).body.data)).toEqual([round])
  }
})

test.for(['event', 'event_head'] as const)(
  'a request sees the rows of %s of its organization alone, and changes none',
  async (table, { database, tenants, newOrg }) => {
    const [mine, theirs] = [newOrg(), newOrg()]
    await record(database.worker.db, [newEvent(mine, 1), newEvent(theirs, 2)])
    const db = tenants.forOrg(mine)
    expect(await db.selectFrom(table).select('org_id').execute()).toEqual([{ org_id: mine }])
    const update = db.updateTable(table).set({ org_id: theirs }).execute()
    await expect(update).rejects.toThrow('permission denied')
    await expect(db.deleteFrom(table).execute()).rejects.toThrow('permission denied')
  },
)
