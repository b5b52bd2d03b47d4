import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { alerts, clockOf, makeRule, MINUTE, put, scene, type Asset } from '../../test/rules/scene.ts'
import { log, test, type Tracking } from '../../test/tracking.fixture.ts'
import { RuleClock } from './live/clock.loop.ts'
import { RuleBook } from './settings/rule-book.ts'

const ascending = (a: number, b: number) => a - b

const eventsOf = async ({ db }: Tracking) =>
  (
    await sql<{ kind: string }>`
      select split_part(subject, '.', 2) || ' ' || (payload -> 'alert' ->> 'id') as kind from outbox
      where subject like 'events.alert-%' order by id`.execute(db)
  ).rows.map(({ kind }) => kind)

describe('a rule', () => {
  test('D14.4 raises what is already true once it is made, and each asset once, also by two replicas at once', async ({
    tracking,
  }) => {
    const { hall, assets } = await scene(tracking)
    await put(tracking, tracking.book, assets, hall, Date.now() - 90 * MINUTE)
    const rule = await makeRule(tracking, {
      kind: 'stayed_longer_than',
      scope: { location_ids: [hall.id] },
      params: { seconds: 3_600 },
    })
    const other = new RuleBook({ db: tracking.worker.db, view: tracking.view, zoneOf: () => 'UTC', log })
    await other.read()
    const clocks = [clockOf(tracking), clockOf(tracking, other)]
    for (let n = 0; n < 3; n += 1) await Promise.all(clocks.map((clock) => clock.turn()))
    expect((await alerts(tracking)).map(({ subject }) => subject.name).toSorted()).toEqual([
      'Crate 0',
      'Crate 1',
      'Crate 2',
    ])
    expect(await eventsOf(tracking)).toHaveLength(3)
    const { data } = (await tracking.call('GET', `/rules/${rule.id}`)).json()
    expect(data).toMatchObject({ open_alerts: 3, problem: null })
    expect(await alerts(tracking, 2)).toEqual([])
  })

  test('D14.4 with raise_existing=false tells only what happens from then on', async ({ tracking }) => {
    const { hall, yard, assets } = await scene(tracking)
    await put(tracking, tracking.book, assets, hall, Date.now() - 90 * MINUTE)
    const body = {
      kind: 'stayed_longer_than',
      scope: { location_ids: [hall.id] },
      params: { seconds: 3_600 },
    }
    await makeRule(tracking, body, { query: '?raise_existing=false' })
    await clockOf(tracking).turn()
    expect(await alerts(tracking)).toEqual([])
    const [first] = assets as [Asset, ...Asset[]]
    await put(tracking, tracking.book, [first], yard)
    await put(tracking, tracking.book, [first], hall, Date.now() + MINUTE)
    const later = Date.now() + 62 * MINUTE
    await clockOf(tracking, tracking.book, () => later).turn()
    expect((await alerts(tracking)).map(({ subject }) => subject.id)).toEqual([first.id])
  })

  test('D14.1 that changed ends its alerts and raises again what is true, three times', async ({
    tracking,
  }) => {
    const { hall, assets } = await scene(tracking)
    await put(tracking, tracking.book, assets, hall, Date.now() - 90 * MINUTE)
    const { id } = await makeRule(tracking, {
      kind: 'stayed_longer_than',
      scope: { location_ids: [hall.id] },
      params: { seconds: 3_600 },
    })
    await clockOf(tracking).turn()
    for (let round = 1; round <= 3; round += 1) {
      const body = { params: { seconds: 3_600 - round } }
      expect((await tracking.call('PATCH', `/rules/${id}`, { body })).statusCode).toBe(200)
      await clockOf(tracking).turn()
      await clockOf(tracking).turn()
      const all = await alerts(tracking)
      expect(all.filter(({ state }) => state === 'raised')).toHaveLength(3)
      expect(all.filter((alert) => alert.resolved_because === 'rule_changed')).toHaveLength(3 * round)
      expect((await tracking.call('GET', `/rules/${id}`)).json().data.open_alerts).toBe(3)
    }
    expect((await tracking.call('PATCH', `/rules/${id}`, { body: { enabled: false } })).statusCode).toBe(200)
    await clockOf(tracking).turn()
    expect(new Set((await alerts(tracking)).map(({ state }) => state))).toEqual(new Set(['resolved']))
    expect((await alerts(tracking)).filter((one) => one.resolved_because === 'rule_disabled')).toHaveLength(3)
    expect((await tracking.call('PATCH', `/rules/${id}`, { body: { enabled: true } })).statusCode).toBe(200)
    await clockOf(tracking).turn()
    expect((await tracking.call('DELETE', `/rules/${id}`)).statusCode).toBe(204)
    await clockOf(tracking).turn()
    expect((await alerts(tracking)).filter((one) => one.resolved_because === 'rule_deleted')).toHaveLength(3)
    expect((await tracking.call('GET', `/rules/${id}`)).statusCode).toBe(404)
  })

  test('a replica that has not heard of a rule applies it all the same', async ({ tracking }) => {
    const { hall, yard, assets } = await scene(tracking)
    const deaf = new RuleBook({ db: tracking.worker.db, view: tracking.view, zoneOf: () => 'UTC', log })
    await put(tracking, deaf, assets, yard, Date.now() - MINUTE)
    await makeRule(tracking, { kind: 'entered', scope: { location_ids: [hall.id] } })
    await put(tracking, deaf, assets, hall)
    expect(await alerts(tracking)).toHaveLength(3)
    await put(tracking, tracking.book, assets, yard, Date.now() + MINUTE)
    await put(tracking, deaf, assets, hall, Date.now() + 2 * MINUTE)
    expect((await alerts(tracking)).map(({ state }) => state).toSorted()).toEqual([
      'raised',
      'raised',
      'raised',
      'resolved',
      'resolved',
      'resolved',
    ])
    expect(await eventsOf(tracking)).toHaveLength(9)
  })

  test('D14.4 that would raise more than 1 000 at once asks', async ({ tracking }) => {
    const { hall, assets } = await scene(tracking, 1, 1_001)
    for (let at = 0; at < assets.length; at += 500)
      await put(tracking, tracking.book, assets.slice(at, at + 500), hall, Date.now() - 90 * MINUTE)
    const body = {
      name: 'Rule',
      kind: 'stayed_longer_than',
      scope: { location_ids: [hall.id] },
      params: { seconds: 3_600 },
    }
    const refused = await tracking.call('POST', '/rules', { body })
    expect([refused.statusCode, refused.json().error.count]).toEqual([409, 1_001])
    const preview = await tracking.call('POST', '/rules/preview', { body: { rule: body } })
    expect(preview.json().data.now).toMatchObject({ count: 1_001 })
    expect(preview.json().data.past.count).toBe(1_001)
    await makeRule(tracking, body, { query: '?raise_existing=true' })
    await clockOf(tracking).turn()
    expect((await tracking.call('GET', '/alerts')).json().total_count).toBe(1_001)
  })

  test('D14.5 with too many alerts says so, passes the others over, and raises them when there is room', async ({
    tracking,
  }) => {
    const { hall, yard, assets } = await scene(tracking)
    const { id } = await makeRule(tracking, { kind: 'entered', scope: { location_ids: [hall.id] } })
    await put(tracking, tracking.book, assets, yard, Date.now() - MINUTE)
    await tracking.db.updateTable('rule').set({ open_alerts: 9_998 }).execute() // as if others were open
    await put(tracking, tracking.book, assets, hall)
    const open = await alerts(tracking)
    expect(open.map(({ subject }) => subject.type).toSorted()).toEqual(['asset', 'asset', 'rule'])
    expect((await tracking.call('GET', `/rules/${id}`)).json().data).toMatchObject({
      problem: 'too_many',
      open_alerts: 10_000,
    })
    await tracking.db.updateTable('rule').set({ open_alerts: 2 }).execute()
    for (let n = 0; n < 3; n += 1) await clockOf(tracking).turn()
    expect((await alerts(tracking, 1, '&state=raised')).map(({ subject }) => subject.type)).toEqual([
      'asset',
      'asset',
      'asset',
    ])
    expect((await tracking.call('GET', `/rules/${id}`)).json().data).toMatchObject({
      problem: null,
      open_alerts: 3,
    })
  })

  test('D14.7 waits until what the broker received is stored', async ({ tracking }) => {
    const { hall, yard, assets } = await scene(tracking)
    const body = { kind: 'entered', scope: { location_ids: [hall.id] }, for_seconds: 60 }
    await makeRule(tracking, body)
    await put(tracking, tracking.book, assets, yard, Date.now() - MINUTE)
    const cameMs = Date.now()
    await put(tracking, tracking.book, assets, hall, cameMs)
    let storedUntil = cameMs + 59_999
    let probes = 0
    const clock = new RuleClock({
      db: tracking.worker.db,
      view: tracking.view,
      book: tracking.book,
      storedUntil: async () => storedUntil,
      probe: async () => (probes += 1),
      wakeOutbox: () => undefined,
      retentionMs: 1e12,
      log,
      now: () => cameMs + 10 * MINUTE,
    })
    for (let n = 0; n < 3; n += 1) await clock.turn()
    expect([await alerts(tracking), probes]).toEqual([[], 3])
    const [first, ...others] = assets as [Asset, ...Asset[]]
    await put(tracking, tracking.book, [first], yard, cameMs + 59_000) // it waited
    storedUntil = cameMs + 60_000
    await clock.turn()
    expect((await alerts(tracking)).map(({ subject }) => subject.id).toSorted(ascending)).toEqual(
      others.map(({ id }) => id).toSorted(ascending),
    )
  })
})
