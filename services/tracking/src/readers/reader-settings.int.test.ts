import { eventually } from '@whereabouts/testing/eventually'
import { openDatabase } from '@whereabouts/db/connect/database'
import { sql, type KyselyPlugin } from 'kysely'
import { describe, expect } from 'vitest'
import type { Tables } from '../db.ts'
import { log, test, type Tracking } from '../../test/tracking.fixture.ts'
import { ReaderDirectory } from './reader-directory.ts'
import { notifyReadersChanged, updateReader } from './readers.queries.ts'

const MAPPING = { reads: '/list', tag: '/id', tag_type: 'rfid', antenna: '/port' }
const OTHER = { reads: '', tag: '/t', tag_type: 'barcode', event: '/ev', read_events: [false, 1, 'READ'] }
const READER = { reader_key: 'gate-4', name: 'Gate', format: 'mapping', mapping: MAPPING }

async function created(tracking: Tracking, body: object = {}, orgId = 1): Promise<number> {
  const res = await tracking.call('POST', '/readers', { orgId, body: { ...READER, ...body } })
  expect(res.statusCode).toBe(201)
  return res.json().data.id
}

/** The reader of the list, as it is shown alone. */
async function shown(tracking: Tracking, orgId = 1) {
  const [{ id }] = (await tracking.call('GET', '/readers', { orgId })).json().data
  return (await tracking.call('GET', `/readers/${id}`, { orgId })).json().data
}

describe('a reader with settings', () => {
  test('is created, read and changed with them, and a mapping is replaced as a whole', async ({
    tracking,
  }) => {
    const id = await created(tracking, { timezone: 'Asia/Singapore' })
    const reader = { id, reader_key: 'gate-4', name: 'Gate', format: 'mapping', configured: true }
    expect(await shown(tracking)).toMatchObject({ ...reader, timezone: 'Asia/Singapore', mapping: MAPPING })
    const patch = (body: object) => tracking.call('PATCH', `/readers/${id}`, { body })
    const changed = (await patch({ name: 'South gate', mapping: OTHER, timezone: null })).json().data
    expect(changed).toMatchObject({ ...reader, name: 'South gate', timezone: null })
    expect(changed.mapping).toEqual(OTHER)
    expect(await shown(tracking)).toEqual(changed)
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
    expect(await shown(tracking)).toMatchObject({ name: 'Gate', mapping: MAPPING })
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
    expect(await shown(tracking)).toMatchObject({ name: 'South gate', timezone: '+08:00', mapping: OTHER })
  })

  test("another organization's reader looks missing and stays unchanged", async ({ tracking }) => {
    const id = await created(tracking)
    const theirs = await created(tracking, {}, 2)
    const res = await tracking.call('PATCH', `/readers/${theirs}`, { body: { mapping: OTHER } })
    expect(res.statusCode).toBe(404)
    expect((await tracking.call('PATCH', `/readers/${id + 1}`, { body: {} })).statusCode).toBe(404)
    expect(await shown(tracking, 2)).toMatchObject({ mapping: MAPPING })
  })

  test('has no mapping in the list, and in nothing else of it', async ({ tracking }) => {
    await created(tracking)
    expect((await tracking.call('GET', '/readers')).body).not.toContain(MAPPING.tag)
  })

  test('keeps a mapping that was stored before its limit, which is read and replaced', async ({
    tracking,
  }) => {
    const id = await created(tracking)
    const large = { ...OTHER, read_events: Array.from({ length: 50 }, () => '\u{1F4E6}'.repeat(127)) }
    await tracking.db
      .updateTable('reader')
      .set({ mapping: large as never })
      .where('id', '=', id)
      .execute()
    const patch = (body: object) => tracking.call('PATCH', `/readers/${id}`, { body })
    expect((await patch({ name: 'South gate' })).json().data).toMatchObject({ mapping: large })
    expect(tracking.directory.settings(1, 'gate-4').mapping).toEqual(large)
    expect((await patch({ mapping: large })).json().error.fields).toMatchObject([
      { field: 'mapping', code: 'too_long' },
    ])
    expect((await patch({ mapping: MAPPING })).statusCode).toBe(200)
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
    const { db, release, queries } = holding(tracking, 3)
    const replica = new ReaderDirectory(db, tracking.pool, log)
    const early = replica.reload(1)
    await eventually(() => expect(queries()).toBe(1))
    await tracking.call('PATCH', `/readers/${id}`, { body: { mapping: OTHER } })
    const later = replica.reload(1)
    release()
    await Promise.all([early, later])
    expect(replica.settings(1, 'gate-4').mapping).toEqual(OTHER)
  })

  test('wait for a reading of all rows that is under way, which would replace them by older ones', async ({
    tracking,
  }) => {
    const id = await created(tracking)
    const { db, release, queries } = holding(tracking, 3)
    const replica = new ReaderDirectory(db, tracking.pool, log)
    await whileRunning([replica], async () => {
      const started = replica.start()
      await eventually(() => expect(queries()).toBe(1))
      await tracking.call('PATCH', `/readers/${id}`, { body: { mapping: OTHER } })
      release()
      await started
      await eventually(() => expect(replica.settings(1, 'gate-4').mapping).toEqual(OTHER))
    })
  })
})

/** A database whose first queries do not answer until they are released. */
function holding(tracking: Tracking, held: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let queries = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      queries += 1
      if (queries <= held) await promise
      return result
    },
  }
  return { db: tracking.db.withPlugin(plugin), release: resolve, queries: () => queries }
}

/** Stopped also if the test fails: the database of the test waits for its connection. */
async function whileRunning(directories: readonly ReaderDirectory[], act: () => Promise<void>) {
  try {
    await act()
  } finally {
    await Promise.all(directories.map((directory) => directory.stop()))
  }
}

/** A database that notes how many rows each statement finds. */
function counting(tracking: Tracking) {
  const found: number[] = []
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      found.push(result.rows.length)
      return result
    },
  }
  return { db: tracking.db.withPlugin(plugin), found }
}

/** Statements of one reading. */
const STATEMENTS = 3

describe('a change', () => {
  test('is read once by the process that made it and once by each other one, round after round', async ({
    tracking,
  }) => {
    const ids: number[] = []
    for (let n = 0; n < 20; n += 1) ids.push(await created(tracking, { reader_key: `gate-${n}` }))
    const [own, other] = [counting(tracking), counting(tracking)]
    const [here, there] = [own, other].map(({ db }) => new ReaderDirectory(db, tracking.pool, log))
    if (!here || !there) throw new Error('unreachable')
    await whileRunning([here, there], async () => {
      await Promise.all([here.start(), there.start()])
      for (const name of ['a', 'b', 'c']) {
        const mapping = { ...OTHER, tag: `/${name}` }
        own.found.length = 0
        other.found.length = 0
        const values = { name, format: 'mapping', timezone: null, time_source: 'reader', mapping } as const
        const change = await tracking.db.transaction().execute(async (tx) => {
          await updateReader(tx, 1, ids[3] ?? 0, values as never)
          return notifyReadersChanged(tx, 1, 'gate-3')
        })
        await here.reload(1, change)
        expect(here.settings(1, 'gate-3').mapping).toEqual(mapping)
        await eventually(() => expect(there.settings(1, 'gate-3').mapping).toEqual(mapping))
        // A later change of another organization, heard on the same connections, shows that no other reading follows.
        await created(tracking, { reader_key: `after-${name}` }, 2)
        await eventually(() => expect(here.settings(2, `after-${name}`).mapping).toEqual(MAPPING))
        await eventually(() => expect(there.settings(2, `after-${name}`).mapping).toEqual(MAPPING))
        for (const { found } of [own, other]) expect(found).toEqual([0, 1, 0, 0, 1, 0])
        for (const directory of [here, there])
          expect(directory.settings(1, 'gate-19').mapping).toEqual(MAPPING)
      }
    })
  })

  test('waits while its organization is read, and shares the next reading with others', async ({
    tracking,
  }) => {
    for (const n of [1, 2, 3, 4]) await created(tracking, { reader_key: `gate-${n}` })
    const { db, release, queries } = holding(tracking, 1)
    const replica = new ReaderDirectory(db, tracking.pool, log)
    const first = replica.reload(1, { readerKey: 'gate-1' })
    await eventually(() => expect(queries()).toBe(1))
    const later = [2, 3, 4].map((n) => replica.reload(1, { readerKey: `gate-${n}` }))
    await replica.reload(2)
    expect(queries()).toBe(1 + STATEMENTS)
    release()
    await Promise.all([first, ...later])
    expect(queries()).toBe(3 * STATEMENTS)
    for (const n of [1, 2, 3, 4]) expect(replica.settings(1, `gate-${n}`).mapping).toEqual(MAPPING)
  })

  test('of the release before, which names no reader, reads the organization', async ({ tracking }) => {
    const id = await created(tracking)
    const replica = new ReaderDirectory(tracking.db, tracking.pool, log)
    await whileRunning([replica], async () => {
      await replica.start()
      for (const mapping of [OTHER, MAPPING, OTHER]) {
        await tracking.db
          .updateTable('reader')
          .set({ mapping: mapping as never })
          .where('id', '=', id)
          .execute()
        await sql`select pg_notify('readers_changed', '1')`.execute(tracking.db)
        await eventually(() => expect(replica.settings(1, 'gate-4').mapping).toEqual(mapping))
      }
    })
  })
})
