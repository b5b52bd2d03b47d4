import type { WebhookView } from '@whereabouts/contracts/resources/webhooks/webhooks'
import { expect } from 'vitest'
import { newEvent, record } from '../../test/events.fixture.ts'
import { HOOK, test } from '../../test/endpoints.fixture.ts'
import type { Db } from '../db.ts'

const DEFAULTS = {
  event_types: ['asset.moved'],
  retry: 'standard',
  filter: null,
  health: 'ok',
  disabled_because: null,
}
const ANY = { asset_types: [], location_ids: [], include_descendants: false }

const stored = (db: Db, id: number) =>
  db.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** What deliveries write after five days of failures. */
const giveUp = (db: Db, id: number) =>
  db
    .updateTable('webhook')
    .set({ enabled: false, disabled_because: 'failing', health: 'failing', failures: 9 })
    .set({ failing_since: '2026-11-16T10:00:00.000Z', moves_position: 5, others_position: 7 })
    .where('id', '=', id)
    .execute()

test.for(['webhooks', 'endpoints'] as const)(
  'D13.4 D13.9 %s take types, retry and filter, and keep what a change leaves out',
  async (place, { owner }) => {
    const { add, addPrimary, [place]: call } = owner()
    const { id, ...view } = await (place === 'webhooks' ? addPrimary() : add())
    expect(view).toMatchObject(DEFAULTS)
    const patch = async (body: object) => (await call('PATCH', `/${id}`, body)).json().data as WebhookView
    const types = ['asset.created', 'tag.detached']
    expect(await patch({ event_types: types })).toMatchObject({ ...DEFAULTS, event_types: types })
    expect(await patch({ retry: 'extended' })).toMatchObject({ event_types: types, retry: 'extended' })
    const filter = { asset_types: ['person'], location_ids: [7], include_descendants: true }
    expect(await patch({ filter })).toMatchObject({ event_types: types, retry: 'extended', filter })
    expect((await patch({ url: `${HOOK}/2` })).filter).toEqual(filter)
    expect((await patch({ filter: { location_ids: [8] } })).filter).toEqual({ ...ANY, location_ids: [8] })
    for (const none of [null, {}, ANY, { include_descendants: true }]) {
      expect((await patch({ filter })).filter).toEqual(filter)
      expect((await patch({ filter: none })).filter).toBeNull()
    }
    await call('DELETE', `/${id}`)
    const body = { url: HOOK, event_types: types, retry: 'extended', filter: { asset_types: ['person'] } }
    const { data } = (await call('POST', '', body)).json()
    expect(data).toMatchObject({ ...body, filter: { ...ANY, asset_types: ['person'] } })
    expect((await call('GET', `/${data.id}`)).json().data).toMatchObject({
      event_types: types,
      retry: 'extended',
    })
  },
)

test.for([
  ['no type', { event_types: [] }, 'too_short', 'event_types'],
  ['an unknown type', { event_types: ['asset.moved', 'asset.flew'] }, 'invalid_value', 'event_types[1]'],
  ['a type twice', { event_types: ['asset.moved', 'asset.moved'] }, 'invalid_value', 'event_types'],
  ['null for the types', { event_types: null }, 'invalid_value', 'event_types'],
  ['another retry', { retry: 'forever' }, 'invalid_value', 'retry'],
  ['an unknown condition', { filter: { tags: [] } }, 'unknown_field', 'filter.tags'],
  ['an unknown type of asset', { filter: { asset_types: ['car'] } }, 'invalid_value', 'filter.asset_types[0]'],
  ['101 locations', { filter: { location_ids: Array.from({ length: 101 }, (_, i) => i + 1) } }, 'too_long', 'filter.location_ids'],
  ['what only the service decides', { health: 'ok' }, 'unknown_field', 'health'],
] as const)('D13.4 %s is refused at both places and changes nothing', async ([, body, code, field], { owner }) => {
  const { endpoints, webhooks, add, addPrimary } = owner()
  for (const [call, view] of [
    [endpoints, await add()],
    [webhooks, await addPrimary()],
  ] as const) {
    for (const reply of [
      await call('PATCH', `/${view.id}`, body),
      await call('POST', '', { url: HOOK, ...body }),
    ]) {
      expect(reply.statusCode).toBe(400)
      expect(reply.json().error.fields).toMatchObject([{ field, code }])
    }
    expect((await call('GET', `/${view.id}`)).json().data.updated_at).toBe(view.updated_at)
  }
}) // oxfmt-ignore

test('D13.10 what was given up shows it, and switching on starts afresh, again and again', async ({
  database,
  owner,
}) => {
  const { endpoints, add } = owner()
  const { id } = await add({ retry: 'extended' })
  const view = async () => (await endpoints('GET', `/${id}`)).json().data
  const patch = (body: object) => endpoints('PATCH', `/${id}`, body)
  for (let round = 0; round < 3; round += 1) {
    const { enabled_at: before } = await stored(database.db, id)
    await giveUp(database.db, id)
    const failed = { enabled: false, health: 'disabled', disabled_because: 'failing' }
    expect(await view()).toMatchObject(failed)
    await patch({ url: `${HOOK}/${round}` })
    await patch({ enabled: false }) // as a form sends what it shows
    expect(await view()).toMatchObject(failed)
    await patch({ enabled: true })
    expect(await view()).toMatchObject({ enabled: true, health: 'ok', disabled_because: null })
    const row = await stored(database.db, id)
    const fresh = {
      moves_position: null,
      others_position: null,
      failures: 0,
      failing_since: null,
      health: 'ok',
    }
    expect(row).toMatchObject(fresh)
    expect(row.enabled_at > before).toBe(true)
  }
  await database.db
    .updateTable('webhook')
    .set({ health: 'failing', failures: 4 })
    .where('id', '=', id)
    .execute()
  await patch({ enabled: true })
  expect(await view()).toMatchObject({ health: 'failing' }) // it was on
  await patch({ enabled: false })
  expect(await view()).toMatchObject({ health: 'disabled', disabled_because: null })
})

test('D13.4 the first type that needs a position begins at the newest event, another one leaves it', async ({
  database,
  owner,
}) => {
  const { orgId, endpoints, add } = owner()
  const { id } = await add()
  const positions = async () => {
    const { moves_position, others_position } = await stored(database.db, id)
    return [moves_position, others_position]
  }
  const types = (...event_types: string[]) => endpoints('PATCH', `/${id}`, { event_types })
  const newest = async () => {
    await record(database.db, [newEvent(orgId, 1)])
    const head = database.db.selectFrom('event_head').select('seq').where('org_id', '=', orgId)
    return (await head.executeTakeFirstOrThrow()).seq
  }
  await types('asset.moved', 'asset.created')
  expect(await positions()).toEqual([null, 0]) // nothing has been recorded
  for (let round = 0; round < 3; round += 1) {
    const others = await newest()
    await types('asset.moved')
    await types('asset.moved', 'asset.created')
    expect((await positions())[1]).toBe(others)
    const moves = await newest()
    await types('asset.created', 'tag.attached')
    await types('tag.attached', 'asset.moved')
    expect(await positions()).toEqual([moves, others])
  }
  await endpoints('PATCH', `/${id}`, { enabled: false })
  await endpoints('PATCH', `/${id}`, { enabled: true, event_types: ['asset.deleted'] })
  expect(await positions()).toEqual([null, null])
})
