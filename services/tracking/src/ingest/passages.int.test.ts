import { describe, expect } from 'vitest'
import { test, type Tracking } from '../../test/tracking.fixture.ts'
import { setRules } from '../../test/ingest/rules.fixture.ts'
import { events, ingest, message, NOW, warehouse } from '../../test/ingest/warehouse.fixture.ts'
import { waitingOf } from '../positions/evidence.ts'
import { LastReads } from './last-reads.loop.ts'
import { HEARD_ELSEWHERE_CHANNEL } from './places/heard-elsewhere.ts'
import { RecentMinutes } from './places/recent-minutes.ts'

const MINUTE = 60_000
const [DOCK, SHELF, NOWHERE] = [1, 2, 3] // antennas
/** A minute that ended long ago. */
const START = NOW - 20 * MINUTE

type Read = [antenna: number, second: number]
const read = ([antenna, second]: Read) => ({ value: 'E280', antenna, at: START + second * 1_000 })

/** Each read in its own message and batch. By default, each in another process. */
async function readAt(tracking: Tracking, reads: Read[], recent?: RecentMinutes): Promise<void> {
  for (const one of reads) await ingest(tracking, [message(1, [read(one)])], recent ?? new RecentMinutes())
}

const history = async (tracking: Tracking) => {
  const rows = await tracking.db
    .selectFrom('scan')
    .innerJoin('location', 'location.id', 'scan.location_id')
    .select(['location.name', 'scan.observed_at', 'scan.carried_from'])
    .orderBy('scan.minute')
    .execute()
  const second = (at: string) => (Date.parse(at) - START) / 1_000
  return rows.map(({ name, observed_at, carried_from }) =>
    carried_from === null ? [name, second(observed_at)] : [name, second(observed_at), second(carried_from)],
  )
}
const moves = async (tracking: Tracking) =>
  (await events(tracking)).map((e) => [e.from_location?.name ?? null, e.to_location.name])

/** A process that carries at an instant; by default long after the minute. */
const carrier = (tracking: Tracking, nowMs = Date.now() + MINUTE) =>
  new LastReads({ ...tracking.ingest, recent: new RecentMinutes(), now: () => nowMs })

describe('D18.3 a passage within a minute', () => {
  const passage: Read[] = [
    [DOCK, 10],
    [SHELF, 25],
  ]

  test('waits for the next observation by default, and changes nothing that is stored', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    await readAt(tracking, passage)
    await carrier(tracking).turn()
    expect(await history(tracking)).toEqual([['Dock', 10]])
    await readAt(tracking, [[SHELF, 61]])
    expect(await history(tracking)).toEqual([['Dock', 10], ['Shelf', 61]]) // oxfmt-ignore
    expect(await moves(tracking)).toEqual([[null, 'Dock'], ['Dock', 'Shelf']]) // oxfmt-ignore
  })

  test('is carried into the next minute, once, by any of three replicas at once', async ({ tracking }) => {
    await warehouse(tracking)
    await setRules(tracking, { passages: 'carry' })
    await readAt(tracking, passage)
    await Promise.all([1, 2, 3].map(() => carrier(tracking).turn()))
    await carrier(tracking).turn()
    expect(await history(tracking)).toEqual([['Dock', 10], ['Shelf', 60, 25]]) // oxfmt-ignore
    expect(await moves(tracking)).toEqual([[null, 'Dock'], ['Dock', 'Shelf']]) // oxfmt-ignore
    expect(await events(tracking)).toMatchObject([
      {},
      { kind: 'scan', occurred_at: new Date(START + MINUTE).toISOString() },
    ])
  })

  test('is carried over four minutes in a row, one change a minute', async ({ tracking }) => {
    await warehouse(tracking)
    await setRules(tracking, { passages: 'carry' })
    for (const minute of [0, 2, 4, 6]) {
      await readAt(tracking, [[DOCK, 60 * minute + 10], [SHELF, 60 * minute + 25]]) // oxfmt-ignore
      await carrier(tracking).turn()
    }
    expect((await history(tracking)).map(([name]) => name)).toEqual(
      [0, 2, 4, 6].flatMap(() => ['Dock', 'Shelf']),
    )
    expect(await moves(tracking)).toHaveLength(8)
  })

  test('in one batch, as a buffer is sent, is the same', async ({ tracking }) => {
    await warehouse(tracking)
    await setRules(tracking, { passages: 'carry' })
    await ingest(tracking, [message(1, passage.map(read))])
    await ingest(tracking, [message(1, passage.map(read))])
    await carrier(tracking).turn()
    expect(await history(tracking)).toEqual([['Dock', 10], ['Shelf', 60, 25]]) // oxfmt-ignore
  })

  test('is not carried before 5 s after it came, nor after an observation of a later minute', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    await setRules(tracking, { passages: 'carry' })
    await readAt(tracking, passage)
    await carrier(tracking, Date.now() + 4_000).turn()
    expect(await history(tracking)).toEqual([['Dock', 10]])
    await readAt(tracking, [[DOCK, 190]])
    await carrier(tracking).turn()
    expect(await history(tracking)).toEqual([['Dock', 10], ['Dock', 190]]) // oxfmt-ignore
  })

  test('back at the place of the row, or at no place, there is nothing to carry', async ({ tracking }) => {
    await warehouse(tracking)
    await setRules(tracking, { passages: 'carry' })
    const recent = new RecentMinutes()
    await readAt(tracking, [...passage, [DOCK, 30], [SHELF, 31], [DOCK, 32], [NOWHERE, 40]], recent)
    await carrier(tracking).turn()
    expect(await history(tracking)).toEqual([['Dock', 10]])
  })
})

describe('D18.3 an asset that two places hear in turn', () => {
  const inTurn = (minute: number): Read[] => [0, 10, 20, 30, 40].flatMap((second): Read[] => [[DOCK, 60 * minute + second], [SHELF, 60 * minute + second + 5]]) // oxfmt-ignore
  const waiting = async (tracking: Tracking) => {
    const {
      evidence,
      minute,
      location_id: locationId,
    } = await tracking.db
      .selectFrom('position')
      .select(['evidence', 'minute', 'location_id'])
      .executeTakeFirstOrThrow()
    const last = waitingOf({ minute: Date.parse(minute) / MINUTE, locationId, evidence })
    return last && (last.at - START) / 1_000
  }

  test('is written once a minute until the minute ends; then the last read waits, three times', async ({
    tracking,
  }) => {
    await warehouse(tracking)
    const recent = new RecentMinutes()
    for (const minute of [0, 1, 2]) {
      const lastReads = new LastReads({
        ...tracking.ingest,
        recent,
        now: () => START + (minute + 1) * MINUTE,
      })
      const replica = { ...tracking, ingest: { ...tracking.ingest, lastReads } }
      await readAt(replica, inTurn(minute), recent)
      await lastReads.turn() // not yet: another read may come
      expect(await waiting(tracking)).toBe(60 * minute + 5)
      await lastReads.stop()
      expect(await waiting(tracking)).toBe(60 * minute + 45)
    }
    expect(await history(tracking)).toEqual([['Dock', 0], ['Dock', 60], ['Dock', 120]]) // oxfmt-ignore
  })

  test('is not written again once the next minute has its row', async ({ tracking }) => {
    await warehouse(tracking)
    const recent = new RecentMinutes()
    const lastReads = new LastReads({ ...tracking.ingest, recent })
    const replica = { ...tracking, ingest: { ...tracking.ingest, lastReads } }
    await readAt(replica, [...inTurn(0), [DOCK, 61]], recent)
    await lastReads.turn()
    expect(await waiting(tracking)).toBeNull()
    expect(await history(tracking)).toEqual([['Dock', 0], ['Dock', 61]]) // oxfmt-ignore
  })
})

describe('D18.3 two replicas', () => {
  /** Hands notifications of the database to the memory of a replica, as its directory does. */
  async function listening(tracking: Tracking) {
    const replica = { recent: new RecentMinutes() }
    const lastReads = new LastReads({ ...tracking.ingest, ...replica })
    const client = await tracking.pool.connect()
    const heard: string[] = []
    client.on('notification', ({ payload = '' }) => {
      heard.push(payload)
      lastReads.hear(payload)
    })
    await client.query(`listen ${HEARD_ELSEWHERE_CHANNEL}`)
    return { ...replica, lastReads, heard, stop: () => client.release(true) }
  }

  test('a read that one dropped is later than that of the other: nothing waits', async ({ tracking }) => {
    await warehouse(tracking)
    await setRules(tracking, { passages: 'carry' })
    const one = await listening(tracking)
    await readAt(tracking, [[DOCK, 10], [DOCK, 40]], one.recent) // oxfmt-ignore
    await readAt(tracking, [[SHELF, 25]])
    await expect.poll(() => one.heard).toHaveLength(1)
    await one.lastReads.turn()
    await carrier(tracking).turn()
    expect(await history(tracking)).toEqual([['Dock', 10]])
    one.stop()
  })

  test('the next reads of the other are stored from then on, three times', async ({ tracking }) => {
    await warehouse(tracking)
    await setRules(tracking, { passages: 'carry' })
    const one = await listening(tracking)
    for (const minute of [0, 1, 2]) {
      await readAt(tracking, [[DOCK, 60 * minute + 10]], one.recent)
      await readAt(tracking, [[SHELF, 60 * minute + 25]])
      await expect.poll(() => one.heard).toHaveLength(minute + 1)
      await readAt(tracking, [[DOCK, 60 * minute + 40]], one.recent)
    }
    await carrier(tracking).turn()
    expect(await history(tracking)).toEqual([['Dock', 10], ['Dock', 70], ['Dock', 130]]) // oxfmt-ignore
    one.stop()
  })
})
