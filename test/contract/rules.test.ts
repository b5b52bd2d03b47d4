import { MOST_EXISTING, MOST_RULES, type RuleCreate } from '@whereabouts/contracts/resources/rules/rules'
import { describe, expect } from 'vitest'
import type { Api } from './support/api.ts'
import { catalogOf } from './support/catalog.ts'
import { test } from './support/fixtures.ts'
import { scannedJourney } from './support/journey.ts'
import { newMember } from './support/members.ts'
import { succeed } from './support/organization.ts'
import { newUnseenAssets, raiseAlert, saveAt } from './support/rules.ts'
import { codesOf } from './support/resources.ts'
import { UNKNOWN_ID } from './support/rows.ts'

const PATIENTLY = { timeout: 20_000, interval: 100 }

/** The operations of rules and alerts, with one token. */
function rulesOf(api: Api, token: string) {
  const create = (body: object, query = {}) => api.call('createRule', { token, body, query })
  return {
    create,
    make: async (body: object) => (await succeed(create(body))).body.data,
    read: async (rule_id: number) => (await api.call('getRule', { token, params: { rule_id } })).body.data,
    patch: (rule_id: number, body: object, query = {}) =>
      api.call('updateRule', { token, params: { rule_id }, body, query }),
    remove: (rule_id: number) => api.call('deleteRule', { token, params: { rule_id } }),
    list: async (query = {}) => (await succeed(api.call('listRules', { token, query }))).body,
    preview: (rule: object, span = {}) => api.call('previewRule', { token, body: { rule, ...span } }),
    alerts: async (query = {}) => (await succeed(api.call('listAlerts', { token, query }))).body.data,
    alert: async (alert_id: number) => (await succeed(api.call('getAlert', { token, params: { alert_id } }))).body.data,
    acknowledge: (alert_id: number, body = {}) =>
      api.call('acknowledgeAlert', { token, params: { alert_id }, body }),
    acknowledgeAll: async (ids: number[]) =>
      (await succeed(api.call('acknowledgeAlerts', { token, body: { ids } }))).body.data.count,
  }
} // oxfmt-ignore

const byText = (a: unknown, b: unknown) => String(a).localeCompare(String(b))

describe('D14.1 rules', () => {
  test('D14.1 a rule has defaults, and all members of its scope', async ({ api, token }) => {
    const { create, read, list } = rulesOf(api, token)
    const { id } = await catalogOf(api, token).location()
    const { status, headers, body } = await create({ name: 'Gone', kind: 'left', scope: { location_ids: [id] } })
    expect(status).toBe(201)
    const rule = body.data
    expect(headers.get('location')).toBe(`/api/v1/rules/${rule.id}`)
    expect(rule).toEqual({
      id: expect.any(Number),
      name: 'Gone',
      kind: 'left',
      enabled: true,
      severity: 'warning',
      scope: { asset_ids: [], asset_types: [], metadata: {}, location_ids: [id], include_descendants: true, reader_ids: [] },
      params: {},
      for_seconds: 0,
      schedule: null,
      notify: { event: true, email: [], chat: [], remind_minutes: null },
      problem: null,
      open_alerts: 0,
      created_at: expect.any(String),
      updated_at: rule.created_at,
    })
    expect(await read(rule.id)).toEqual(rule)
    expect((await list({ limit: 200 })).data).toContainEqual(rule)
  }) // oxfmt-ignore

  test('D14.1 PATCH merges: what is absent stays, and null removes', async ({ api, token }) => {
    const { make, patch, read } = rulesOf(api, token)
    const { id } = await catalogOf(api, token).location()
    const schedule = { days: [1, 2], from: '06:00', to: '22:00' }
    const scope = { asset_types: ['inventory'], location_ids: [id], include_descendants: false }
    const made = await make({ name: 'Gone', kind: 'left', scope, params: { resolve_after_seconds: 60 }, schedule })
    const expected = made
    const changes: [object, Partial<typeof made>][] = [
      [{}, {}],
      [{ name: 'Away', severity: 'critical' }, { name: 'Away', severity: 'critical' }],
      [{ scope: { asset_types: [] } }, { scope: { ...made.scope, asset_types: [] } }],
      [{ params: {} }, {}],
      [{ params: { resolve_after_seconds: null } }, { params: {} }],
      [{ schedule: { to: '04:00' } }, { schedule: { ...schedule, to: '04:00' } }],
      [{ schedule: null }, { schedule: null }],
      [{ notify: { event: false } }, { notify: { ...made.notify, event: false } }],
    ]
    for (const [body, change] of changes) {
      const reply = await patch(made.id, body)
      expect(reply.status, reply.text).toBe(200)
      Object.assign(expected, change, { updated_at: reply.body.data.updated_at })
      expect(reply.body.data, JSON.stringify(body)).toEqual(expected)
      expect(await read(made.id)).toEqual(expected)
    }
  }) // oxfmt-ignore

  test('D14.1 a scope may ask for metadata, and follows what changes of it', async ({ api, token }) => {
    const { make, alerts, preview } = rulesOf(api, token)
    const { location, asset } = catalogOf(api, token)
    const [yard, dock] = [await location({ name: 'Yard' }), await location({ name: 'Dock' })]
    const north = await asset({ name: 'North', metadata: { team: 'north', floor: 2 } })
    const south = await asset({ name: 'South', metadata: { team: 'south', floor: 2 } })
    await saveAt(api, token, yard, north, south)
    const scope = { location_ids: [dock.id], metadata: { team: 'north', floor: '2' } }
    const rule = await make({ name: 'North', kind: 'entered', scope })
    expect(rule.scope).toMatchObject(scope)
    const told = async () => (await alerts({ rule_id: rule.id })).map(({ subject }) => subject.id)
    const missing = { kind: 'missing_at', params: { time: '00:00' }, name: 'Missing', scope }
    const now = async () => (await succeed(preview(missing))).body.data.now.subjects.map(({ id }) => id)
    await saveAt(api, token, dock, north, south)
    expect(await told()).toEqual([north.id])
    for (const [one, other] of [[south, north], [north, south], [south, north]] as const) {
      for (const [thing, team] of [[one, 'north'], [other, 'west']] as const)
        await succeed(api.call('updateAsset', { token, params: { asset_id: thing.id }, body: { metadata: { team, floor: 2 } } }))
      await saveAt(api, token, yard, north, south)
      await expect.poll(now, PATIENTLY).toEqual([one.id])
      const before = (await told()).length
      await expect
        .poll(async () => {
          await saveAt(api, token, yard, north, south)
          await saveAt(api, token, dock, north, south)
          return (await told()).length
        }, PATIENTLY)
        .toBeGreaterThan(before)
      expect((await told())[0]).toBe(one.id)
    }
    const wrong = { name: 'Wrong', kind: 'left', scope: { ...scope, metadata: { team: null, deep: {} } } }
    expect(codesOf(await rulesOf(api, token).create(wrong))).toEqual([
      'scope.metadata.team invalid_value',
      'scope.metadata.deep invalid_value',
    ])
  }) // oxfmt-ignore

  test('D14.1 a rule that is deleted is gone, and so is each operation of it', async ({ api, token }) => {
    const { make, remove, patch, list } = rulesOf(api, token)
    const { id: place } = await catalogOf(api, token).location()
    const { id } = await make({ name: 'Gone', kind: 'left', scope: { location_ids: [place] } })
    expect((await remove(id)).status).toBe(204)
    for (const reply of [await remove(id), await patch(id, { enabled: false })])
      expect(reply.body.error).toMatchObject({ type: 'not_found', detail: 'Rule not found' })
    expect((await api.call('getRule', { token, params: { rule_id: id } })).status).toBe(404)
    expect((await list({ limit: 200 })).data.map((rule) => rule.id)).not.toContain(id)
  })

  test('D14.1 the list filters by kind, state and name, and sorts', async ({ api, newOrg }) => {
    const { admin } = await newOrg()
    const { make, list } = rulesOf(api, admin)
    const scope = { location_ids: [(await catalogOf(api, admin).location()).id] }
    await make({ name: 'B entered', kind: 'entered', scope })
    await make({ name: 'C left', kind: 'left', scope, enabled: false })
    await make({ name: 'A silent', kind: 'reader_silent' })
    const names = async (query: object) => (await list(query)).data.map(({ name }) => name)
    expect(await names({})).toEqual(['B entered', 'C left', 'A silent'])
    expect(await names({ sort: 'name' })).toEqual(['A silent', 'B entered', 'C left'])
    expect(await names({ sort: '-created_at', kind: ['entered', 'left'] })).toEqual(['C left', 'B entered'])
    expect(await names({ enabled: false })).toEqual(['C left'])
    expect(await names({ q: 'ENTER' })).toEqual(['B entered'])
    expect(await list({ limit: 1, offset: 1 })).toMatchObject({ total_count: 3, data: [{ name: 'C left' }] })
  })

  test('D14.1 an organization has 200 rules', async ({ api, newOrg }) => {
    const { admin } = await newOrg()
    const { create, remove } = rulesOf(api, admin)
    const silent = { name: 'Silent', kind: 'reader_silent', enabled: false }
    const made = await Promise.all(Array.from({ length: MOST_RULES + 3 }, () => create(silent)))
    const refused = made.filter(({ status }) => status === 409)
    expect(refused).toHaveLength(3)
    expect(refused[0]?.body.error.detail).toBe(
      'An organization has at most 200 rules. Delete one that is not needed',
    )
    const one = made.find(({ status }) => status === 201)
    await succeed(remove(one?.body.data.id ?? 0))
    expect((await create(silent)).status).toBe(201)
  })

  test('D14.1 an id that was deleted stays, and a scope of nothing else is a problem', async ({ api, token }) => {
    const { make, create, patch, read } = rulesOf(api, token)
    const { location, deleteLocation } = catalogOf(api, token)
    const [gone, other] = [await location(), await location()]
    const scope = { location_ids: [gone.id] }
    const { id } = await make({ name: 'Gone', kind: 'left', scope })
    const both = await make({ name: 'Both', kind: 'left', scope: { location_ids: [gone.id, other.id] } })
    await deleteLocation(gone.id)
    await expect.poll(async () => (await read(id)).problem, PATIENTLY).toBe('scope_empty')
    expect((await read(both.id)).problem).toBeNull()
    expect((await patch(id, { name: 'Still', scope })).body.data).toMatchObject({ scope, problem: 'scope_empty' })
    expect(codesOf(await create({ name: 'New', kind: 'left', scope }))).toEqual(['scope.location_ids[0] fk_not_found'])
    expect((await patch(id, { scope: { location_ids: [other.id] } })).body.data.problem).toBeNull()
  }) // oxfmt-ignore
})

describe('D14.2 kinds', () => {
  type Case = [kind: RuleCreate['kind'], settings: object, ...codes: string[]]
  const HERE = { location_ids: [UNKNOWN_ID] }
  const cases: Case[] = [
    ['entered', {}, 'scope.location_ids required'],
    ['left', {}, 'scope.location_ids required'],
    ['stayed_longer_than', { params: { seconds: 60 } }, 'scope.location_ids required'],
    ['missing_at', { params: { time: '07:30' } }, 'scope.location_ids required'],
    ['not_seen_for', {}, 'params.seconds required'],
    ['stayed_longer_than', { scope: HERE }, 'params.seconds required', 'scope.location_ids[0] fk_not_found'],
    ['missing_at', {}, 'scope.location_ids required', 'params.time required'],
    ['not_seen_for', { params: { seconds: null } }, 'params.seconds required'],
    ['not_seen_for', { params: { seconds: 60, time: '07:30' } }, 'params.time invalid_context'],
    ['away_from_home', { params: { seconds: 60 } }, 'params.seconds invalid_context'],
    ['reader_silent', { params: { resolve_after_seconds: 60 } }, 'params.resolve_after_seconds invalid_context'],
    ['reader_silent', { scope: { asset_types: ['person'] } }, 'scope.asset_types invalid_context'],
    ['reader_silent', { scope: { asset_ids: [UNKNOWN_ID] } }, 'scope.asset_ids invalid_context', 'scope.asset_ids[0] fk_not_found'],
    ['reader_silent', { scope: { reader_ids: [UNKNOWN_ID] } }, 'scope.reader_ids[0] fk_not_found'],
    ['away_from_home', { scope: { reader_ids: [UNKNOWN_ID] } }, 'scope.reader_ids invalid_context', 'scope.reader_ids[0] fk_not_found'],
    ['reader_silent', { schedule: { days: [1], from: '07:00', to: '07:00' } }, 'schedule.to invalid_value'],
  ] // oxfmt-ignore

  test.for(cases)('D14.2 %s with %j', async ([kind, settings, ...codes], { api, token }) => {
    const { create, preview } = rulesOf(api, token)
    const rule = { name: 'Wrong', kind, ...settings }
    expect(codesOf(await create(rule)).toSorted()).toEqual(codes.toSorted())
    const inside = codes.map((code) => `rule.${code}`)
    expect(codesOf(await preview(rule)).toSorted()).toEqual(inside.toSorted())
  })

  test('D14.2 PATCH is judged as a whole: another kind needs its own parameters', async ({ api, token }) => {
    const { make, patch } = rulesOf(api, token)
    const { id } = await make({ name: 'Lost', kind: 'not_seen_for', params: { seconds: 3_600 } })
    expect(codesOf(await patch(id, { kind: 'reader_silent' }))).toEqual([])
    expect(codesOf(await patch(id, { kind: 'away_from_home' }))).toEqual(['params.seconds invalid_context'])
    const away = { kind: 'away_from_home', params: { seconds: null } }
    expect((await patch(id, away)).body.data).toMatchObject({ kind: 'away_from_home', params: {} })
    expect(codesOf(await patch(id, { schedule: { to: '07:00' } })).toSorted()).toEqual([
      'schedule.days required',
      'schedule.from required',
    ])
  })

  test('D14.2 D14.7 each movement into the places is an alert, there with the answer to the save, until the opposite one', async ({
    api,
    token,
  }) => {
    const { alerts } = rulesOf(api, token)
    const { rule, asset, yard, dock } = await raiseAlert(api, token)
    for (let round = 1; round <= 3; round += 1) {
      expect(await alerts({ rule_id: rule.id, state: 'raised' })).toHaveLength(1)
      await saveAt(api, token, yard, asset)
      const ended = await alerts({ rule_id: rule.id })
      expect(ended).toHaveLength(round)
      expect(new Set(ended.map(({ resolved_because }) => resolved_because))).toEqual(new Set(['condition']))
      await saveAt(api, token, dock, asset)
    }
    expect((await rulesOf(api, token).read(rule.id)).open_alerts).toBe(1)
  })

  test('D14.2 left is about the place that the asset left', async ({ api, token }) => {
    const { asset: newAsset, location } = catalogOf(api, token)
    const [dock, yard, asset] = [await location(), await location(), await newAsset()]
    await saveAt(api, token, dock, asset)
    const { make, alerts } = rulesOf(api, token)
    const { id: rule_id } = await make({ name: 'Gone', kind: 'left', scope: { location_ids: [dock.id] } })
    expect(await alerts({ rule_id })).toEqual([]) // it is never already true
    await saveAt(api, token, yard, asset)
    expect(await alerts({ rule_id })).toMatchObject([
      { subject: { id: asset.id }, location: { id: dock.id } },
    ])
  })
})

test('D14.3 outside of the schedule, before for_seconds and while it is off, a rule raises nothing', async ({
  api,
  newOrg,
}) => {
  const { admin } = await newOrg()
  const { asset: newAsset, location } = catalogOf(api, admin)
  const { make, alerts } = rulesOf(api, admin)
  const [dock, asset] = [await location(), await newAsset()]
  const rule = { kind: 'entered', scope: { location_ids: [dock.id] } }
  const today = new Date().getUTCDay() || 7
  const closed = { days: [((today + 2) % 7) + 1], from: '10:00', to: '11:00' }
  await make({ ...rule, name: 'Closed', schedule: closed })
  await make({ ...rule, name: 'Later', for_seconds: 86_400 })
  await make({ ...rule, name: 'Off', enabled: false })
  await make({ ...rule, name: 'Plain' })
  await saveAt(api, admin, dock, asset)
  expect((await alerts()).map((alert) => alert.rule.name)).toEqual(['Plain'])
})

describe('D14.4 what is already true, and the preview', () => {
  test('D14.4 more than 1 000 are raised only when asked for', async ({ api, newOrg }) => {
    const { admin } = await newOrg()
    const { create, preview, patch, read, list, alerts } = rulesOf(api, admin)
    const { id } = await catalogOf(api, admin).location()
    const rule = { name: 'Missing', kind: 'missing_at', scope: { location_ids: [id] }, params: { time: '00:00' } }
    const count = MOST_EXISTING + 1
    await newUnseenAssets(api, admin, count)
    const now = async () => (await preview(rule)).body.data.now
    await expect.poll(async () => (await now()).count, PATIENTLY).toBe(count)
    expect((await now()).subjects).toHaveLength(50)
    const refused = await create(rule)
    expect(refused.body.error).toMatchObject({ type: 'conflict', count })
    expect(await list()).toMatchObject({ total_count: 0 })

    const quiet = (await succeed(create(rule, { raise_existing: false }))).body.data
    const loud = (await succeed(create(rule, { raise_existing: true }))).body.data
    await expect.poll(async () => (await read(loud.id)).open_alerts, PATIENTLY).toBe(count)
    expect(await alerts({ rule_id: quiet.id })).toEqual([])
    expect((await patch(quiet.id, { enabled: true })).status).toBe(200) // it is on: nothing is new
    expect((await patch(quiet.id, { for_seconds: 1 })).body.error).toMatchObject({ status: 409, count })
    expect((await patch(quiet.id, { name: 'Quiet' })).status).toBe(200)
  }) // oxfmt-ignore

  test('D14.4 the past is what would have been raised, and nothing is stored', async ({ api }) => {
    const { org, token, asset, other, shelf, at } = await scannedJourney(api)
    const { preview, list, alerts } = rulesOf(api, token)
    const rule = { name: 'On the shelf', kind: 'entered', scope: { location_ids: [shelf.id] } }
    const { now, past } = (await succeed(preview(rule))).body.data
    expect(now).toEqual({ count: 0, subjects: [] })
    expect(past?.count).toBe(2)
    const found = past?.alerts.map(({ subject, location, raised_at, resolved_at, resolved_because }) => [
      subject.id,
      location?.id,
      raised_at,
      resolved_at,
      resolved_because,
    ])
    expect(found?.toSorted(byText)).toEqual(
      [
        [asset.id, shelf.id, at(5), at(9), 'condition'],
        [other.id, shelf.id, at(3), null, null],
      ].toSorted(byText),
    )
    expect((await preview(rule, { from: at(4) })).body.data.past?.count).toBe(1)
    expect((await preview({ name: 'Silent', kind: 'reader_silent' })).body.data.past).toBeNull()
    expect(await list()).toMatchObject({ total_count: 0 })
    expect(await alerts()).toEqual([])
    const viewer = await newMember(api, org, 'viewer')
    expect((await rulesOf(api, viewer.access_token).preview(rule)).body.data.past?.count).toBe(2)
    expect((await rulesOf(api, viewer.access_token).create(rule)).status).toBe(403)
  })

  test('D14.4 the past is of 30 days at most', async ({ api, token }) => {
    const { preview } = rulesOf(api, token)
    const rule = { name: 'Silent', kind: 'reader_silent' }
    const from = '2026-01-01T00:00:00.000Z'
    expect((await preview(rule, { from, to: '2026-01-31T00:00:00Z' })).status).toBe(200)
    const long = await preview(rule, { from, to: '2026-01-31T00:00:00.001Z' })
    const max = '2026-01-31T00:00:00.000Z'
    expect(long.body.error.fields).toMatchObject([{ field: 'to', code: 'too_large', params: { max } }])
    expect(codesOf(await preview(rule, { from, to: from }))).toEqual(['to invalid_value'])
  })
})

describe('D14.5 alerts', () => {
  test('D14.5 an alert names the rule, what it is about, and where', async ({ api, token }) => {
    const { rule, asset, dock, alert } = await raiseAlert(api, token, { severity: 'critical' })
    const named = ({ id, external_key, name }: typeof asset | typeof dock) => ({ id, external_key, name })
    expect(alert).toEqual({
      id: expect.any(Number),
      rule: { id: rule.id, name: rule.name, kind: 'entered', severity: 'critical' },
      subject: { type: 'asset', ...named(asset) },
      location: named(dock),
      state: 'raised',
      note: null,
      raised_at: expect.any(String),
      acknowledged_at: null,
      acknowledged_by: null,
      resolved_at: null,
      resolved_because: null,
    })
    expect(await rulesOf(api, token).alert(alert.id)).toEqual(alert)
  })

  test('D14.5 the list is newest first, and each filter leaves out the others', async ({ api, newOrg }) => {
    const { admin } = await newOrg()
    const { acknowledge, alerts } = rulesOf(api, admin)
    const one = await raiseAlert(api, admin)
    const two = await raiseAlert(api, admin, { severity: 'info' })
    const three = await raiseAlert(api, admin)
    await succeed(acknowledge(two.alert.id))
    await saveAt(api, admin, three.yard, three.asset)
    const found = async (query: object) => (await alerts(query)).map(({ id }) => id)
    const [first, second, third] = [one.alert.id, two.alert.id, three.alert.id]
    expect(await found({})).toEqual([third, second, first])
    expect(await found({ state: 'raised' })).toEqual([first])
    expect(await found({ state: ['acknowledged', 'resolved'] })).toEqual([third, second])
    expect(await found({ severity: 'info' })).toEqual([second])
    expect(await found({ rule_id: [one.rule.id, three.rule.id] })).toEqual([third, first])
    expect(await found({ asset_id: two.asset.id })).toEqual([second])
    expect(await found({ location_id: three.dock.id })).toEqual([third])
    expect(await found({ location_id: three.yard.id })).toEqual([])
    expect(await found({ reader_id: UNKNOWN_ID })).toEqual([])
    expect(await found({ from: two.alert.raised_at, to: two.alert.raised_at })).toEqual([second])
    expect(await found({ limit: 1, offset: 1 })).toEqual([second])
  })

  test('D14.5 who acknowledges first is named; a new note replaces, none leaves it', async ({
    api,
    newOrg,
  }) => {
    const org = await newOrg()
    const { token } = await org.key({ name: 'pager' })
    const { alert } = await raiseAlert(api, org.admin)
    const people = rulesOf(api, org.admin)
    const first = (await succeed(people.acknowledge(alert.id, { note: 'On my way' }))).body.data
    const by = { type: 'user', id: org.userId, name: 'Ada' }
    expect(first).toEqual({
      ...alert,
      state: 'acknowledged',
      note: 'On my way',
      acknowledged_at: expect.any(String),
      acknowledged_by: by,
    })
    for (const [body, note] of [
      [{}, 'On my way'],
      [{ note: 'There\nnow' }, 'There\nnow'],
      [{}, 'There\nnow'],
    ] as const)
      expect((await rulesOf(api, token).acknowledge(alert.id, body)).body.data).toEqual({ ...first, note })
    const other = await raiseAlert(api, token)
    const named = (await rulesOf(api, token).acknowledge(other.alert.id)).body.data.acknowledged_by
    expect(named).toMatchObject({ type: 'key', name: 'pager' })
  })

  test('D14.5 a resolved alert is a conflict, and not counted among many', async ({ api, token }) => {
    const { acknowledge, acknowledgeAll, alert: read } = rulesOf(api, token)
    const [ended, one, two] = [await raiseAlert(api, token), await raiseAlert(api, token), await raiseAlert(api, token)]
    await saveAt(api, token, ended.yard, ended.asset)
    expect((await acknowledge(ended.alert.id)).body.error).toMatchObject({ type: 'conflict' })
    expect((await acknowledge(UNKNOWN_ID)).body.error).toMatchObject({ type: 'not_found' })
    const ids = [ended, one, two, one].map(({ alert }) => alert.id)
    for (let round = 0; round < 3; round += 1) expect(await acknowledgeAll([...ids, UNKNOWN_ID])).toBe(2)
    expect(await read(one.alert.id)).toMatchObject({ state: 'acknowledged', note: null })
    expect(await read(ended.alert.id)).toMatchObject({ state: 'resolved', acknowledged_at: null })
  }) // oxfmt-ignore

  test('D14.5 other organizations see and acknowledge nothing', async ({ api, token, newOrg }) => {
    const { alert, rule, asset, dock } = await raiseAlert(api, token)
    const { admin } = await newOrg()
    const stranger = rulesOf(api, admin)
    expect(await stranger.alerts({ rule_id: rule.id })).toEqual([])
    expect(await stranger.acknowledgeAll([alert.id])).toBe(0)
    expect((await stranger.acknowledge(alert.id)).status).toBe(404)
    const scope = { asset_ids: [asset.id], location_ids: [dock.id] }
    expect(codesOf(await stranger.create({ name: 'Spy', kind: 'left', scope }))).toEqual([
      'scope.asset_ids[0] fk_not_found',
      'scope.location_ids[0] fk_not_found',
    ])
    expect((await rulesOf(api, token).alert(alert.id)).state).toBe('raised')
  })
})

describe('D14.6 events', () => {
  test('D14.6 alert.raised and alert.resolved are in the feed with the alert, once each', async ({ api, newOrg }) => {
    const { admin } = await newOrg()
    const type = ['alert.raised', 'alert.resolved']
    const feed = async () => (await succeed(api.call('listEvents', { token: admin, query: { type } }))).body.data
    const { alert: read, acknowledge } = rulesOf(api, admin)
    const quiet = await raiseAlert(api, admin, { notify: { event: false } })
    await saveAt(api, admin, quiet.yard, quiet.asset)
    const { alert, asset, yard } = await raiseAlert(api, admin)
    await succeed(acknowledge(alert.id))
    await saveAt(api, admin, yard, asset)
    await expect.poll(async () => (await feed()).length, PATIENTLY).toBe(2)
    const resolved = await read(alert.id)
    expect((await feed()).map((event) => [event.type, event.occurred_at, event.data])).toEqual([
      ['alert.raised', alert.raised_at, { alert }],
      ['alert.resolved', resolved.resolved_at, { alert: resolved }],
    ])
  }) // oxfmt-ignore
})

describe('D14.8 what counts as a new rule', () => {
  const changes: [object, string | null][] = [
    [{ kind: 'left' }, 'rule_changed'],
    [{ scope: { include_descendants: false } }, 'rule_changed'],
    [{ params: { resolve_after_seconds: 3_600 } }, 'rule_changed'],
    [{ for_seconds: 5 }, 'rule_changed'],
    [{ enabled: false }, 'rule_disabled'],
  ]
  test.for(changes)('D14.8 %j ends the open alerts: %s', async ([body, because], { api, token }) => {
    const { patch, alert: read, read: readRule, alerts } = rulesOf(api, token)
    const { rule, alert } = await raiseAlert(api, token)
    await succeed(patch(rule.id, body))
    await expect.poll(async () => (await read(alert.id)).state, PATIENTLY).toBe('resolved')
    expect((await read(alert.id)).resolved_because).toBe(because)
    expect((await readRule(rule.id)).open_alerts).toBe(0)
    expect(await alerts({ rule_id: rule.id })).toHaveLength(1) // a movement of before is not raised again
  })

  test('D14.8 a rule that is deleted ends its alerts, which stay', async ({ api, token }) => {
    const { remove, alert: read } = rulesOf(api, token)
    const { rule, alert } = await raiseAlert(api, token)
    await succeed(remove(rule.id))
    await expect.poll(async () => (await read(alert.id)).state, PATIENTLY).toBe('resolved')
    expect(await read(alert.id)).toMatchObject({ rule: { id: rule.id }, resolved_because: 'rule_deleted' })
  })

  test('D14.8 a change of anything else, or of nothing, leaves them open', async ({ api, token }) => {
    const { patch, alert: read } = rulesOf(api, token)
    const { rule, alert } = await raiseAlert(api, token)
    const same = { kind: rule.kind, scope: rule.scope, params: rule.params, for_seconds: 0, enabled: true }
    const schedule = { days: [1], from: '06:00', to: '22:00' }
    for (const body of [{ name: 'Other' }, { severity: 'info' }, { schedule }, same, same, same])
      await succeed(patch(rule.id, body))
    // A rule that changes afterwards has its alert ended, so the changes above had their time.
    const later = await raiseAlert(api, token)
    await succeed(patch(later.rule.id, { enabled: false }))
    await expect.poll(async () => (await read(later.alert.id)).state, PATIENTLY).toBe('resolved')
    expect((await read(alert.id)).state).toBe('raised')
  })
})
