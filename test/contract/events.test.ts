import type { EventView } from '@whereabouts/contracts/resources/webhooks/events'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import type { Scope } from '@whereabouts/contracts/route'
import { openEvents } from '@whereabouts/testing/event-stream'
import { describe, expect, inject } from 'vitest'
import { test } from './support/fixtures.ts'
import { succeed, type Organization } from './support/organization.ts'
import type { Api } from './support/api.ts'

const PATIENTLY = { timeout: 15_000 }

/** One change of each kind, in this order, from a new organization. */
const STORY = [
  'location.created', 'asset.created', 'tag.attached', 'asset.updated', 'asset.updated', 'asset.moved', 'tag.detached',
  'location.updated', 'asset.deleted', 'asset.updated', 'location.deleted',
] // oxfmt-ignore

async function tellStory(api: Api, org: Organization, token: string) {
  const call = { token }
  const dock = (await succeed(api.call('createLocation', { ...call, body: { name: 'Dock' } }))).body.data
  const pump = (await succeed(api.call('createAsset', { ...call, body: { name: 'Pump', external_key: 'PUMP', tags: [{ tag_type: 'ble', value: 'B-1' }] } }))).body.data
  const params = { asset_id: pump.id }
  const tag = (await succeed(api.call('addAssetTag', { ...call, params, body: { tag_type: 'barcode', value: 'C-1' } }))).body.data
  await succeed(api.call('updateAsset', { ...call, params, body: { name: 'Pump 2', description: 'old' } }))
  await succeed(api.call('updateAsset', { ...call, params, body: { name: 'Pump 2' } })) // changes nothing
  await succeed(api.call('renameAsset', { ...call, params, body: { external_key: 'PUMP-2' } }))
  const saved = { asset_identifiers: ['PUMP-2'], location_identifier: dock.external_key }
  await succeed(api.call('saveInventory', { ...call, body: saved }))
  await moved(api, token)
  await succeed(api.call('removeAssetTag', { ...call, params: { ...params, tag_id: tag.id } }))
  await succeed(api.call('updateLocation', { ...call, params: { location_id: dock.id }, body: { is_active: false } }))
  await succeed(api.call('deleteAsset', { ...call, params }))
  await succeed(api.call('restoreAsset', { token: org.admin, params, body: {} }))
  await succeed(api.call('deleteLocation', { ...call, params: { location_id: dock.id } }))
  return { dock, pump, tag }
} // oxfmt-ignore

/** The movement comes from another service, so what is told after it has to wait until it is recorded. */
async function moved(api: Api, token: string): Promise<void> {
  await expect
    .poll(async () => (await read(api, token, { type: 'asset.moved' })).data.length, PATIENTLY)
    .toBe(1)
}

const read = async (api: Api, token: string, query: Record<string, string | number | string[]> = {}) =>
  (await succeed(api.call('listEvents', { token, query }))).body

/** All events, a page of `limit` after the other. */
async function follow(api: Api, token: string, limit: number, count: number): Promise<EventView[]> {
  const found: EventView[] = []
  let after: string | undefined
  while (found.length < count) {
    const page = await read(api, token, { limit, wait: 20, ...(after !== undefined && { after }) })
    found.push(...page.data)
    after = page.cursor
  }
  return found
}

describe('D13.2 GET /events', () => {
  test('D13.1 D13.2 each change is one event, in order, on pages of any size', async ({ api, newOrg }) => {
    const [org, other] = [await newOrg(), await newOrg()]
    const [{ token }, stranger] = [await org.key(), await other.key()]
    const { dock, pump, tag } = await tellStory(api, org, token)
    const all = await follow(api, token, 500, STORY.length)
    expect(all.map(({ type }) => type)).toEqual(STORY)
    for (const limit of [1, 2, 7]) expect(await follow(api, token, limit, STORY.length)).toEqual(all)
    const named = { id: pump.id, external_key: 'PUMP-2', name: 'Pump 2' }
    const data = all.map((event) => event.data)
    expect(data[0]).toEqual({ location: dock })
    expect(data[1]).toEqual({ asset: pump })
    expect(data[2]).toEqual({ tag, asset: { ...named, external_key: 'PUMP', name: 'Pump' } })
    expect(data[3]).toMatchObject({ asset: { name: 'Pump 2' }, changed: ['description', 'name'] })
    expect(data[4]).toMatchObject({ asset: { external_key: 'PUMP-2' }, changed: ['external_key'] })
    expect(data[5]).toMatchObject({ asset: named, from_location: null, to_location: { id: dock.id } })
    expect(data[6]).toEqual({ tag, asset: named })
    expect(data[7]).toMatchObject({ location: { id: dock.id, is_active: false }, changed: ['is_active'] })
    expect(data[8]).toEqual({ asset: named })
    expect(data[9]).toMatchObject({
      asset: { id: pump.id, deleted_at: null, tags: [{ value: 'B-1' }] },
      changed: ['deleted_at', 'tags'],
    })
    expect(data[10]).toEqual({ location: { id: dock.id, external_key: dock.external_key, name: 'Dock' } })
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    const recorded = all.map(({ recorded_at }) => recorded_at)
    expect(recorded).toEqual(recorded.toSorted())
    expect((await read(api, stranger.token)).data).toEqual([])
  })

  test('D13.1 an import is an event of each row, and one once it has ended', async ({ api, newOrg }) => {
    const [org, other] = [await newOrg(), await newOrg()]
    const [{ token }, stranger] = [await org.key(), await other.key()]
    const query = { resource: 'assets' }
    const sent = { token: org.admin, query, body: 'name,external_key\nPump,P-1\nFan,F-1\n,X\n' }
    const { id } = (await succeed(api.call('createImport', sent))).body.data
    const [first, second, last] = await follow(api, token, 500, 3)
    expect([first?.type, second?.type, last?.type]).toEqual([
      'asset.created',
      'asset.created',
      'import.finished',
    ])
    const call = { token: org.admin, params: { import_id: id } }
    const shown = (await succeed(api.call('getImport', call))).body.data
    expect(last?.data).toEqual({ import: shown })
    expect(shown).toMatchObject({ state: 'done', created: 2, failed: 1 })
    expect((await read(api, token, { type: 'import.finished' })).data).toEqual([last])
    expect((await read(api, token, { type: ['reader.silent', 'reader.online'] })).data).toEqual([])
    expect((await read(api, stranger.token)).data).toEqual([])
  })

  test('D13.2 a cursor is of one organization, passes over what the filter leaves out, and works with other types', async ({
    api,
    newOrg,
  }) => {
    const [org, other] = [await newOrg(), await newOrg()]
    const [{ token }, stranger] = [await org.key(), await other.key()]
    const start = (await read(api, token, { after: 'now' })).cursor
    for (const name of ['A', 'B', 'C']) await succeed(api.call('createLocation', { token, body: { name } }))
    await expect.poll(async () => (await read(api, token)).data.length, PATIENTLY).toBe(3)
    const filtered = await read(api, token, { after: start, type: ['asset.created', 'asset.moved'] })
    expect(filtered).toMatchObject({ data: [], has_more: false })
    expect((await read(api, token, { after: filtered.cursor })).data).toEqual([])
    expect(await read(api, token, { after: start, type: 'location.created', limit: 2 })).toMatchObject({
      data: [{}, {}],
      has_more: true,
    })
    for (const [caller, query] of [
      [stranger.token, { after: start }],
      [token, { after: 'garbage' }],
      [token, { after: '' }],
      [token, { type: 'asset.sold' }],
      [token, { wait: 31 }],
      [token, { limit: 501 }],
    ] as const) {
      const refused = await api.call('listEvents', { token: caller, query: { ...query } })
      expect(refused.status, JSON.stringify(query)).toBe(400)
      expect(refused.body.error.fields).toMatchObject([{ field: Object.keys(query)[0] }])
    }
  })

  test('D13.2 wait holds an empty answer back until something happens, three times in a row', async ({
    api,
    newOrg,
  }) => {
    const { token } = await (await newOrg()).key()
    let { cursor } = await read(api, token, { after: 'now' })
    for (const name of ['A', 'B', 'C']) {
      const waiting = read(api, token, { after: cursor, wait: 30, type: 'location.created' })
      await succeed(api.call('createAsset', { token, body: { name } })) // not asked for
      await succeed(api.call('createLocation', { token, body: { name } }))
      const page = await waiting
      expect(page.data).toMatchObject([{ data: { location: { name } } }])
      cursor = page.cursor
    }
    expect(await read(api, token, { after: cursor, wait: 1, type: 'location.created' })).toMatchObject({
      data: [],
      has_more: false,
    })
  })

  test.for<[Scope[], string | undefined, string | undefined]>([
    [['events:read'], undefined, undefined],
    [['events:read'], 'asset.moved', undefined],
    [['scans:read'], 'asset.moved', undefined],
    [['tracking:read'], 'asset.moved', undefined],
    [['scans:read'], undefined, 'events:read'],
    [['scans:read'], 'asset.created', 'events:read'],
    [['assets:read'], 'asset.moved', 'scans:read'],
  ])('D13.2 %j may follow %s: missing %s', async ([scopes, type, missing], { api, org }) => {
    const { token } = await org.key({ scopes })
    const reply = await api.call('listEvents', { token, ...(type && { query: { type } }) })
    expect(reply.status).toBe(missing === undefined ? 200 : 403)
    if (missing) expect(reply.body.error.detail).toBe(`Missing required scope: ${missing}`)
    const both = await api.call('listEvents', { token, query: { type: ['asset.moved', 'asset.created'] } })
    expect(both.status).toBe(scopes[0] === 'events:read' ? 200 : 403)
  })

  test('D13.2 requests of a key do not count', async ({ api, org }) => {
    const { token } = await org.key()
    const { headers } = await api.call('listEvents', { token })
    expect(Object.keys(headers).filter((name) => /ratelimit/.test(name))).toEqual([])
  })
})

describe('D13.3 server-sent events', () => {
  const stream = (token: string, query = '', headers = {}) =>
    openEvents(`${inject('urls').base}${API_PREFIX}/events${query}`, {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      'user-agent': 'contract-suite/1',
      ...headers,
    })

  test('D13.3 D13.12 events come live, and Last-Event-ID wins over after', async ({ api, newOrg }) => {
    const { token } = await (await newOrg()).key()
    const make = async (name: string) => succeed(api.call('createLocation', { token, body: { name } }))
    await make('Before')
    await expect.poll(async () => (await read(api, token)).data.length, PATIENTLY).toBe(1)
    const first = await stream(token, '?after=now')
    expect(first.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'private, no-store, no-transform',
    })
    const names = ({ events }: typeof first) =>
      events.map(
        ({ data }) => (JSON.parse(data) as { data: { location: { name: string } } }).data.location.name,
      )
    for (const name of ['One', 'Two', 'Three']) await make(name)
    await expect.poll(() => names(first), PATIENTLY).toEqual(['One', 'Two', 'Three'])
    expect(new Set(first.events.map(({ event }) => event))).toEqual(new Set(['message'])) // no event: line
    const again = await stream(token, '?after=now', { 'last-event-id': first.events[0]?.id })
    await expect.poll(() => names(again), PATIENTLY).toEqual(['Two', 'Three'])
    const page = await read(api, token, { after: first.events[1]?.id ?? '' })
    expect(page.data).toMatchObject([{ data: { location: { name: 'Three' } } }])
    first.close()
    again.close()
  })
})
