import { webhookEventType } from '@whereabouts/contracts/messages/webhook-events'
import type { ReaderEvent } from '@whereabouts/contracts/messages/reader-events'
import { describe, expect } from 'vitest'
import { log, test, type Tracking } from '../../../test/tracking.fixture.ts'
import { newestCanary, storeCanary } from '../canary/canary.queries.ts'
import { startReaderSilence, tellChanges } from './silence.loop.ts'
import { noteChanges } from './silence.queries.ts'

const MINUTE = 60_000
/** The readers are made now, so what the test hears and stores comes after. */
const START = Date.now() + MINUTE
const iso = (minutes: number) => new Date(START + minutes * MINUTE).toISOString()

async function reader(tracking: Tracking, key = 'dock-1', orgId = 1): Promise<number> {
  const body = { reader_key: key, name: `Reader ${key}`, format: 'impinj' }
  return (await tracking.call('POST', '/readers', { orgId, body })).json().data.id
}

async function heard(tracking: Tracking, minutes: number, key = 'dock-1', orgId = 1): Promise<void> {
  tracking.health.note(orgId, key, { seenAtMs: START + minutes * MINUTE, messages: 1 })
  await tracking.health.flush()
}

/** Ingest stores a canary in each of these minutes. */
async function steady(tracking: Tracking, from: number, to: number): Promise<void> {
  for (let minute = from; minute <= to; minute += 1) await storeCanary(tracking.db, START + minute * MINUTE)
}

const tell = (tracking: Tracking, minutes: number) =>
  tellChanges({ ...tracking.ingest, db: tracking.worker.db }, START + minutes * MINUTE)

type Told = { type: string | undefined; payload: ReaderEvent; msg_id: string }

async function take(tracking: Tracking): Promise<Told[]> {
  const { rows } = await tracking.pool.query<{ id: number; subject: string; msg_id: string; payload: ReaderEvent }>(
    `delete from outbox where subject like 'events.reader-%' returning id, subject, msg_id, payload`,
  ) // oxfmt-ignore
  return rows
    .toSorted((a, b) => a.id - b.id)
    .map(({ subject, msg_id, payload }) => ({ type: webhookEventType(subject), msg_id, payload }))
}

const types = async (tracking: Tracking) => (await take(tracking)).map(({ type }) => type)

describe('D13.1 a reader', () => {
  test('that goes silent has one event, and one once it is heard again, three times over, with two replicas', async ({
    tracking,
  }) => {
    const id = await reader(tracking)
    await heard(tracking, 0)
    await steady(tracking, 0, 4)
    expect(await tell(tracking, 4)).toBe(0) // five minutes are needed while its usual pause is unknown
    const ids = new Set<string>()
    let at = 0
    for (const round of [1, 2, 3]) {
      await steady(tracking, at, at + 40)
      const both = (minutes: number) => Promise.all([tell(tracking, minutes), tell(tracking, minutes)])
      for (const more of [0, 0, 5, 15]) await both(at + 40 + more) // silent for long
      const last_seen = iso(at)
      const about = { id, reader_key: 'dock-1', name: 'Reader dock-1' }
      const [silent, ...more] = await take(tracking)
      expect(more).toEqual([])
      expect(silent).toMatchObject({ type: 'reader.silent', payload: { org_id: 1, reader: about, last_seen, occurred_at: iso(at + 40) } }) // oxfmt-ignore
      at += 60 * round
      await heard(tracking, at)
      await steady(tracking, at, at)
      await both(at)
      await both(at)
      const [online, ...others] = await take(tracking)
      expect(others).toEqual([])
      expect(online).toMatchObject({ type: 'reader.online', payload: { reader: about, last_seen: iso(at), occurred_at: iso(at) } }) // oxfmt-ignore
      for (const told of [silent!, online!]) {
        expect(told.msg_id).toBe(told.payload.delivery_id)
        ids.add(told.msg_id)
      }
    }
    expect(ids.size).toBe(6)
  })

  test('that nobody made, that was never heard or that was deleted has none, and its first read is none', async ({
    tracking,
  }) => {
    await reader(tracking, 'never')
    const gone = await reader(tracking, 'gone')
    await reader(tracking, 'new')
    for (const key of ['discovered', 'gone', 'new']) await heard(tracking, 0, key)
    await tracking.call('DELETE', `/readers/${gone}`)
    await steady(tracking, 0, 1)
    await tell(tracking, 1)
    expect(await take(tracking)).toEqual([])
    await steady(tracking, 2, 30)
    await tell(tracking, 30)
    expect((await take(tracking)).map(({ payload }) => payload.reader.reader_key)).toEqual(['new'])
  })

  test('is told to its organization alone', async ({ tracking }) => {
    for (const org of [1, 2]) {
      await reader(tracking, 'dock-1', org)
      await heard(tracking, org === 1 ? 0 : 29, 'dock-1', org)
    }
    await steady(tracking, 0, 30)
    await tell(tracking, 30)
    expect((await take(tracking)).map(({ payload }) => payload.org_id)).toEqual([1])
  })

  test('says where it stands, and leaves out a location that was deleted', async ({ tracking }) => {
    const site = tracking.catalog.location(1, 'Site')
    const dock = tracking.catalog.location(1, 'Dock', { parent_id: site.id })
    const old = tracking.catalog.location(1, 'Old')
    await tracking.project()
    const id = await reader(tracking)
    for (const [index, location_id] of [dock.id, old.id].entries()) {
      const body = { antenna: index + 1, name: `A${index}`, location_id }
      expect((await tracking.call('POST', `/readers/${id}/scan-points`, { body })).statusCode).toBe(201)
    }
    tracking.catalog.change(old, { deleted_at: iso(0) })
    await tracking.project()
    await heard(tracking, 0)
    await steady(tracking, 0, 10)
    await tell(tracking, 10)
    expect((await take(tracking))[0]?.payload.about).toEqual({ at: [dock.id], within: [dock.id, site.id] })
  })
})

describe('D13.1 readers do not count as silent', () => {
  test('while ingest was down, or the broker, three times over', async ({ tracking }) => {
    for (const key of ['a', 'b', 'c']) await reader(tracking, key)
    let at = 0
    for (const _ of [1, 2, 3]) {
      for (const key of ['a', 'b', 'c']) await heard(tracking, at, key)
      await steady(tracking, at, at)
      at += 30 // nothing came for half an hour
      await steady(tracking, at, at + 1)
      await tell(tracking, at + 1)
      expect(await take(tracking)).toEqual([])
      for (const key of ['a', 'b']) await heard(tracking, at + 2, key)
      await steady(tracking, at + 2, at + 11)
      await tell(tracking, at + 5) // a and b are heard, c is still silent after the restart
      expect((await take(tracking)).map(({ type, payload }) => `${payload.reader.reader_key} ${type}`)).toEqual(['c reader.silent']) // oxfmt-ignore
      await heard(tracking, at + 12, 'c')
      await tell(tracking, at + 5)
      expect(await types(tracking)).toEqual(['reader.online'])
      at += 40
    }
  })

  test('while no canary was ever stored', async ({ tracking }) => {
    await reader(tracking)
    await heard(tracking, 0)
    await tellChanges({ ...tracking.ingest, db: tracking.worker.db }, undefined)
    expect(await take(tracking)).toEqual([])
  })

  test('before their health is written: a turn judges as of the canary before it', async ({ tracking }) => {
    await reader(tracking)
    await heard(tracking, 0)
    await steady(tracking, 0, 30)
    const woken = Promise.withResolvers<void>()
    const deps = { ...tracking.ingest, db: tracking.worker.db, wakeOutbox: woken.resolve }
    const loop = startReaderSilence({ ...deps, log, everyMs: 3_600_000 })
    await loop.firstTurn
    expect(await take(tracking)).toEqual([])
    loop.wake()
    await woken.promise
    await loop.stop()
    expect(await types(tracking)).toEqual(['reader.silent'])
  })
})

test('D13.1 a crash between the change and its event loses and repeats nothing', async ({ tracking }) => {
  await reader(tracking)
  await heard(tracking, 0)
  await steady(tracking, 0, 30)
  const untilMs = await newestCanary(tracking.db)
  for (const _ of [1, 2, 3]) {
    const dying = tracking.worker.db.transaction().execute(async (tx) => {
      expect(await noteChanges(tx, untilMs, 10)).toHaveLength(1)
      throw new Error('killed')
    })
    await expect(dying).rejects.toThrow('killed')
  }
  await tell(tracking, 30)
  await tell(tracking, 30)
  const [first] = await take(tracking)
  expect(first?.type).toBe('reader.silent')
  // A restored backup does not know that it was said: the same id tells receivers.
  await tracking.pool.query('update reader set silent_since = null')
  await tell(tracking, 30)
  expect((await take(tracking)).map(({ msg_id }) => msg_id)).toEqual([first?.msg_id])
})
