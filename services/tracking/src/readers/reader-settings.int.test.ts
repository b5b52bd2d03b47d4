import { eventually } from '@whereabouts/testing/eventually'
import { openDatabase } from '@whereabouts/db/database'
import type { KyselyPlugin } from 'kysely'
import { describe, expect } from 'vitest'
import type { Tables } from '../db.ts'
import { log, test, type Tracking } from '../../test/tracking.fixture.ts'
import { ReaderDirectory } from './reader-directory.ts'

const MAPPING = { reads: '/list', tag: '/id', tag_type: 'rfid', antenna: '/port' }
const OTHER = { reads: '', tag: '/t', tag_type: 'barcode', event: '/ev', read_events: [false, 1, 'READ'] }
const READER = { reader_key: 'gate-4', name: 'Gate', format: 'mapping', mapping: MAPPING }

async function created(tracking: Tracking, body: object = {}, orgId = 1): Promise<number> {
  const res = await tracking.call('POST', '/readers', { orgId, body: { ...READER, ...body } })
  expect(res.statusCode).toBe(201)
  return res.json().data.id
}

const listed = async (tracking: Tracking) => (await tracking.call('GET', '/readers')).json().data[0]

describe('a reader with settings', () => {
  test('is created, read and changed with them, and a mapping is replaced as a whole', async ({
    tracking,
  }) => {
    const id = await created(tracking, { timezone: 'Asia/Singapore' })
    const reader = { id, reader_key: 'gate-4', name: 'Gate', format: 'mapping', configured: true }
    expect(await listed(tracking)).toMatchObject({ ...reader, timezone: 'Asia/Singapore', mapping: MAPPING })
    const patch = (body: object) => tracking.call('PATCH', `/readers/${id}`, { body })
    const changed = (await patch({ name: 'South gate', mapping: OTHER, timezone: null })).json().data
    expect(changed).toMatchObject({ ...reader, name: 'South gate', timezone: null })
    expect(changed.mapping).toEqual(OTHER)
    expect(await listed(tracking)).toEqual(changed)
    expect((await patch({})).json().data).toEqual(changed)
  })

  test('the response to a change has the health of the reader, not of the same key in another organization', async ({
    tracking,
  }) => {
    await created(tracking, { name: 'Theirs' }, 2)
    tracking.health.note(2, 'gate-4', { seenAtMs: 1, messages: 99 })
    await tracking.health.flush()
    const id = await created(tracking)
    tracking.health.note(1, 'gate-4', { seenAtMs: 1, messages: 3, problem: 'missing_tag at /list/0' })
    await tracking.health.flush()
    const { data } = (await tracking.call('PATCH', `/readers/${id}`, { body: { name: 'G' } })).json()
    expect(data).toMatchObject({ id, name: 'G' })
    expect(data.health).toMatchObject({ messages: 3, last_problem: 'missing_tag at /list/0' })
  })

  test('format mapping without a mapping is refused, at creation and by any change', async ({ tracking }) => {
    const fields = async (method: 'POST' | 'PATCH', path: string, body: object) =>
      (await tracking.call(method, path, { body })).json().error.fields
    const missing = [{ field: 'mapping', code: 'required', message: 'mapping is required' }]
    expect(await fields('POST', '/readers', { ...READER, mapping: undefined })).toEqual(missing)
    expect(await fields('POST', '/readers', { ...READER, mapping: null })).toEqual(missing)
    const id = await created(tracking)
    expect(await fields('PATCH', `/readers/${id}`, { name: 'New', mapping: null })).toEqual(missing)
    expect(await listed(tracking)).toMatchObject({ name: 'Gate', mapping: MAPPING })
    const zebra = await created(tracking, { reader_key: 'z', format: 'zebra', mapping: null })
    expect(await fields('PATCH', `/readers/${zebra}`, { format: 'mapping' })).toEqual(missing)
    const both = await tracking.call('PATCH', `/readers/${zebra}`, {
      body: { format: 'mapping', mapping: OTHER },
    })
    expect(both.json().data).toMatchObject({ format: 'mapping', mapping: OTHER })
  })

  test('the database refuses it too', async ({ tracking }) => {
    const row = { org_id: 1, reader_key: 'x', name: 'x', format: 'mapping', timezone: null, mapping: null }
    await expect(tracking.db.insertInto('reader').values(row).execute()).rejects.toThrow(
      'reader_mapping_present',
    )
  })

  test('two changes of different fields at once both take effect', async ({ tracking }) => {
    const id = await created(tracking)
    const bodies = [{ name: 'South gate' }, { timezone: '+08:00' }, { mapping: OTHER }]
    await Promise.all(bodies.map((body) => tracking.call('PATCH', `/readers/${id}`, { body })))
    expect(await listed(tracking)).toMatchObject({ name: 'South gate', timezone: '+08:00', mapping: OTHER })
  })

  test("another organization's reader looks missing and stays unchanged", async ({ tracking }) => {
    const id = await created(tracking)
    const theirs = await created(tracking, {}, 2)
    const res = await tracking.call('PATCH', `/readers/${theirs}`, { body: { mapping: OTHER } })
    expect(res.statusCode).toBe(404)
    expect((await tracking.call('PATCH', `/readers/${id + 1}`, { body: {} })).statusCode).toBe(404)
    expect((await tracking.call('GET', '/readers', { orgId: 2 })).json().data).toMatchObject([
      { mapping: MAPPING },
    ])
  })
})

describe('the settings of the decoder', () => {
  test('apply once the request is answered, only in their own organization, and end with the reader', async ({
    tracking,
  }) => {
    const id = await created(tracking, { timezone: 'UTC' })
    expect(tracking.directory.settings(1, 'gate-4')).toEqual({ timezone: 'UTC', mapping: MAPPING })
    expect(tracking.directory.settings(2, 'gate-4')).toEqual({})
    await tracking.call('PATCH', `/readers/${id}`, { body: { mapping: OTHER, timezone: null } })
    expect(tracking.directory.settings(1, 'gate-4')).toEqual({ timezone: undefined, mapping: OTHER })
    await tracking.call('DELETE', `/readers/${id}`)
    expect(tracking.directory.settings(1, 'gate-4')).toEqual({})
  })

  test('reach every replica, also one that starts later', async ({ tracking }) => {
    const other = openDatabase<Tables>(tracking.url, { max: 3 })
    const replica = new ReaderDirectory(other.db, other.pool, log)
    await created(tracking, { reader_key: 'before' })
    await replica.start()
    expect(replica.settings(1, 'before').mapping).toEqual(MAPPING)
    const id = await created(tracking)
    await eventually(() => expect(replica.settings(1, 'gate-4').mapping).toEqual(MAPPING))
    await tracking.call('PATCH', `/readers/${id}`, { body: { mapping: OTHER } })
    await eventually(() => expect(replica.settings(1, 'gate-4').mapping).toEqual(OTHER))
    await replica.stop()
    await other.close()
  })

  test('are never replaced by older rows that were read earlier and arrive later', async ({ tracking }) => {
    const id = await created(tracking)
    const slow = Promise.withResolvers<void>()
    let queries = 0
    const holdFirstReading: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        queries += 1
        if (queries <= 3) await slow.promise
        return result
      },
    }
    const replica = new ReaderDirectory(tracking.db.withPlugin(holdFirstReading), tracking.pool, log)
    const early = replica.reload(1)
    await eventually(() => expect(queries).toBe(3))
    await tracking.call('PATCH', `/readers/${id}`, { body: { mapping: OTHER } })
    await replica.reload(1)
    slow.resolve()
    await early
    expect(replica.settings(1, 'gate-4').mapping).toEqual(OTHER)
  })
})
