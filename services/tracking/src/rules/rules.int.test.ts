import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { alerts, clockOf, makeRule, MINUTE, put, scene, type Asset } from '../../test/rules/scene.ts'
import { log, test, type Tracking } from '../../test/tracking.fixture.ts'
import { RuleClock } from './live/clock.loop.ts'
import { lookAtCatalog } from './live/catalog-changes.ts'
import { MetadataMatches } from './settings/metadata-matches.ts'
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
    const other = new RuleBook({ ...tracking, db: tracking.worker.db, zoneOf: () => 'UTC', log })
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
    const deaf = new RuleBook({ ...tracking, db: tracking.worker.db, zoneOf: () => 'UTC', log })
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

describe('a rule for what has some metadata', () => {
  test('D14.8 tells of it alone, also after it changed, three times, and a preview says the same', async ({
    tracking,
  }) => {
    const { catalog, view, worker } = tracking
    const { hall, yard, assets } = await scene(tracking)
    const [own, other] = assets as [Asset, Asset]
    catalog.change(own, { metadata: { team: 'north', floor: 2 } })
    catalog.change(other, { metadata: { team: 'south' } })
    await tracking.project()
    const scope = { location_ids: [hall.id], metadata: { team: 'north', floor: '2' } }
    const body = { kind: 'stayed_longer_than', scope, params: { seconds: 3_600 } }
    await put(tracking, tracking.book, assets, hall, Date.now() - 90 * MINUTE)
    const previewed = await tracking.call('POST', '/rules/preview', {
      body: { rule: { name: 'Rule', ...body } },
    })
    expect(previewed.json().data.now).toMatchObject({ count: 1, subjects: [{ id: own.id }] })
    const rule = await makeRule(tracking, body)
    expect(rule.scope).toMatchObject(scope)
    await clockOf(tracking).turn()
    expect((await alerts(tracking)).map(({ subject }) => subject.id)).toEqual([own.id])
    const deps = {
      db: worker.db,
      view,
      book: tracking.book,
      wakeOutbox: () => undefined,
      wakeRules: () => undefined,
    }
    const open = async () =>
      (await alerts(tracking, 1, '&state=raised')).map(({ subject }) => subject.id).toSorted(ascending)
    for (let round = 0; round < 3; round += 1) {
      catalog.change(own, { metadata: {} })
      catalog.change(other, { metadata: { team: 'north', floor: 2 } })
      await tracking.project()
      await lookAtCatalog(deps, [own, other], [])
      expect(await open()).toEqual([other.id])
      catalog.change(own, { metadata: { team: 'north', floor: 2 } })
      catalog.change(other, { metadata: { team: 'north', floor: 3 } })
      await tracking.project()
      await lookAtCatalog(deps, [own, other], [])
      expect(await open()).toEqual([own.id])
    }
    await put(tracking, tracking.book, assets, yard)
    expect(await open()).toEqual([])
  })

  test('D14.1 PATCH merges its names, and null removes one', async ({ tracking }) => {
    const { hall } = await scene(tracking)
    const scope = { location_ids: [hall.id], metadata: { team: 'north', floor: 2 } }
    const { id } = await makeRule(tracking, { kind: 'left', scope })
    const body = { scope: { metadata: { floor: null, hot: true } } }
    const { data } = (await tracking.call('PATCH', `/rules/${id}`, { body })).json()
    expect(data.scope).toMatchObject({ location_ids: [hall.id], metadata: { team: 'north', hot: true } })
    const wrong = { name: 'Rule', kind: 'reader_silent', scope: { metadata: { team: 'north' } } }
    const refused = (await tracking.call('POST', '/rules', { body: wrong })).json()
    expect(refused.error.fields).toMatchObject([{ field: 'scope.metadata', code: 'invalid_context' }])
  })

  test('a replica that does not know what fits yet says nothing, and looks at all once it does', async ({
    tracking,
  }) => {
    const { catalog, worker, view } = tracking
    const { hall, assets } = await scene(tracking)
    for (const asset of assets) catalog.change(asset, { metadata: { team: 'north' } })
    await tracking.project()
    await put(tracking, tracking.book, assets, hall, Date.now() - 90 * MINUTE)
    const scope = { location_ids: [hall.id], metadata: { team: 'north' } }
    await makeRule(tracking, { kind: 'stayed_longer_than', scope, params: { seconds: 3_600 } })
    const read = Promise.withResolvers<void>()
    const metadata = new MetadataMatches((orgId, listener) => {
      const following = catalog.follow(orgId, listener)
      return { ...following, caughtUp: read.promise }
    })
    const late = new RuleBook({ db: worker.db, view, metadata, zoneOf: () => 'UTC', log })
    await late.read()
    const clock = clockOf(tracking, late)
    for (let n = 0; n < 3; n += 1) await clock.turn()
    expect(await alerts(tracking)).toEqual([])
    read.resolve()
    await late.ready()
    await clock.turn()
    expect(await alerts(tracking)).toHaveLength(3)
  })
})
