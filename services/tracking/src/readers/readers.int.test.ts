import { eventually } from '@whereabouts/testing/eventually'
import { describe, expect, vi } from 'vitest'
import { openDatabase } from '@whereabouts/db/connect/database'
import { wayTo } from '@whereabouts/testing/lost-machine'
import type { Tables } from '../db.ts'
import { log, test, type Tracking } from '../../test/tracking.fixture.ts'
import { ReaderDirectory } from './reader-directory.ts'

const reader = (key: string) => ({ reader_key: key, name: `Reader ${key}`, format: 'impinj' })

async function created(tracking: Tracking, key = 'dock-1', orgId = 1): Promise<number> {
  return (await tracking.call('POST', '/readers', { orgId, body: reader(key) })).json().data.id
}

describe('readers', () => {
  test('one is created, listed with its health and removed', async ({ tracking }) => {
    const res = await tracking.call('POST', '/readers', { body: reader('dock-1') })
    expect(res.statusCode).toBe(201)
    const { id } = res.json().data
    expect(res.headers.location).toBe(`/api/v1/readers/${id}`)
    tracking.health.note(1, 'dock-1', { seenAtMs: Date.parse('2026-11-21T10:00:00Z'), messages: 2, reads: 5 })
    tracking.health.note(1, 'unconfigured', { seenAtMs: 1, messages: 1 })
    await tracking.health.flush()
    const list = (await tracking.call('GET', '/readers')).json()
    expect(list).toMatchObject({
      total_count: 2,
      data: [
        {
          id,
          reader_key: 'dock-1',
          configured: true,
          health: { messages: 2, reads: 5, last_seen_at: '2026-11-21T10:00:00.000Z' },
        },
        { id: null, reader_key: 'unconfigured', configured: false, health: { messages: 1 } },
      ],
    })
    expect((await tracking.call('DELETE', `/readers/${id}`)).statusCode).toBe(204)
    expect((await tracking.call('DELETE', `/readers/${id}`)).statusCode).toBe(404)
  })

  test('a taken key is a conflict only within the organization', async ({ tracking }) => {
    await created(tracking)
    expect((await tracking.call('POST', '/readers', { body: reader('dock-1') })).statusCode).toBe(409)
    expect((await tracking.call('POST', '/readers', { orgId: 2, body: reader('dock-1') })).statusCode).toBe(
      201,
    )
  })

  test("another organization's reader looks missing", async ({ tracking }) => {
    const id = await created(tracking)
    const options = { orgId: 2 }
    expect((await tracking.call('DELETE', `/readers/${id}`, options)).statusCode).toBe(404)
    expect((await tracking.call('GET', `/readers/${id}/scan-points`, options)).statusCode).toBe(404)
    const point = { ...options, body: { name: 'in' } }
    expect((await tracking.call('POST', `/readers/${id}/scan-points`, point)).statusCode).toBe(404)
    expect((await tracking.call('GET', `/readers/${id}`, options)).statusCode).toBe(404)
    expect((await tracking.call('GET', '/readers', options)).json().data).toEqual([])
  })
})

describe('scan points', () => {
  test('the location is named by id, by key, by both, or by neither', async ({ tracking }) => {
    const dock = tracking.catalog.location(1, 'Dock')
    const path = `/readers/${await created(tracking)}/scan-points`
    const add = async (antenna: number, fields: object) =>
      (await tracking.call('POST', path, { body: { name: 'p', antenna, ...fields } })).json().data
    const placed = { location_id: dock.id, location_external_key: 'DOCK' }
    expect(await add(1, { location_id: dock.id })).toMatchObject(placed)
    expect(await add(2, { location_external_key: 'DOCK' })).toMatchObject(placed)
    expect(await add(3, placed)).toMatchObject(placed)
    const nowhere = { location_id: null, location_external_key: null }
    expect(await add(4, nowhere)).toMatchObject(nowhere)
    const list = (await tracking.call('GET', `${path}?limit=2&offset=1`)).json()
    expect(list.data.map((p: { antenna: number }) => p.antenna)).toEqual([2, 3])
    expect(list.total_count).toBe(4)
  })

  test('fields that disagree are ambiguous; an error names the field that does not resolve', async ({
    tracking,
  }) => {
    const dock = tracking.catalog.location(1, 'Dock')
    tracking.catalog.location(1, 'Shelf')
    const theirs = tracking.catalog.location(2, 'Theirs')
    const gone = tracking.catalog.location(1, 'Gone', { deleted_at: '2026-01-01T00:00:00.000Z' })
    const path = `/readers/${await created(tracking)}/scan-points`
    const codes = async (fields: object) => {
      const res = await tracking.call('POST', path, { body: { name: 'p', ...fields } })
      return res.json().error.fields.map((f: { field: string; code: string }) => `${f.field} ${f.code}`)
    }
    const both = ['location_id ambiguous_fields', 'location_external_key ambiguous_fields']
    expect(await codes({ location_id: dock.id, location_external_key: 'SHELF' })).toEqual(both)
    expect(await codes({ location_id: null, location_external_key: 'SHELF' })).toEqual(both)
    expect(await codes({ location_id: theirs.id })).toEqual(['location_id fk_not_found'])
    expect(await codes({ location_id: gone.id })).toEqual(['location_id fk_not_found'])
    expect(await codes({ location_external_key: 'THEIRS' })).toEqual(['location_external_key fk_not_found'])
  })

  test('an antenna has one scan point, and a removed one frees it', async ({ tracking }) => {
    const path = `/readers/${await created(tracking)}/scan-points`
    const add = () => tracking.call('POST', path, { body: { name: 'p', antenna: 1 } })
    const first = await add()
    expect((await add()).statusCode).toBe(409)
    expect((await tracking.call('DELETE', `${path}/${first.json().data.id}`)).statusCode).toBe(204)
    expect((await add()).statusCode).toBe(201)
  })

  test('a change keeps absent fields, null removes the location, and reads follow at once', async ({
    tracking,
  }) => {
    const [dock, shelf] = [tracking.catalog.location(1, 'Dock'), tracking.catalog.location(1, 'Shelf')]
    await tracking.project()
    const path = `/readers/${await created(tracking)}/scan-points`
    const point = { name: 'in', antenna: 1, location_id: dock.id }
    const { id } = (await tracking.call('POST', path, { body: point })).json().data
    const change = async (body: object) =>
      (await tracking.call('PATCH', `${path}/${id}`, { body })).json().data
    const before = {
      id,
      name: 'in',
      antenna: 1,
      location_id: dock.id,
      location_external_key: 'DOCK',
      min_rssi_dbm: null,
      rssi_offset_db: 0,
    }
    expect(await change({})).toEqual(before)
    expect(await change({ name: 'out' })).toEqual({ ...before, name: 'out' })
    const moved = {
      ...before,
      name: 'out',
      antenna: 4,
      location_id: shelf.id,
      location_external_key: 'SHELF',
    }
    expect(await change({ antenna: 4, location_external_key: 'SHELF' })).toEqual(moved)
    expect(tracking.directory.assignment(1, 'dock-1', 4)).toMatchObject({
      isAssigned: true,
      locationId: shelf.id,
    })
    expect(tracking.directory.assignment(1, 'dock-1', 1)).toEqual({ isAssigned: false })
    const nowhere = { ...moved, location_id: null, location_external_key: null }
    expect(await change({ location_external_key: null })).toEqual(nowhere)
    expect((await tracking.call('GET', path)).json().data).toEqual([nowhere])
  })

  test('a change is refused for a taken antenna, a location that does not resolve, and a pair that disagrees', async ({
    tracking,
  }) => {
    const dock = tracking.catalog.location(1, 'Dock')
    tracking.catalog.location(1, 'Shelf')
    const path = `/readers/${await created(tracking)}/scan-points`
    await tracking.call('POST', path, { body: { name: 'a', antenna: 1 } })
    const { id } = (await tracking.call('POST', path, { body: { name: 'b', antenna: 2 } })).json().data
    const change = async (body: object, at = `${path}/${id}`, orgId = 1) =>
      tracking.call('PATCH', at, { orgId, body })
    expect((await change({ antenna: 1 })).statusCode).toBe(409)
    expect((await change({ antenna: 2 })).statusCode).toBe(200)
    const fields = async (body: object) => (await change(body)).json().error.fields
    expect(await fields({ location_id: dock.id + 500 })).toMatchObject([{ code: 'fk_not_found' }])
    const pairs = [
      { location_id: dock.id, location_external_key: null },
      { location_id: dock.id, location_external_key: 'SHELF' },
    ]
    for (const pair of pairs)
      expect(await fields(pair)).toMatchObject(
        ['location_id', 'location_external_key'].map((field) => ({ field, code: 'ambiguous_fields' })),
      )
    expect((await change({ name: 'x' }, `${path}/${id}`, 2)).statusCode).toBe(404)
    const other = await created(tracking, 'dock-2')
    expect((await change({ name: 'x' }, `/readers/${other}/scan-points/${id}`)).statusCode).toBe(404)
    expect((await tracking.call('GET', `${path}?offset=1`)).json().data).toMatchObject([{ name: 'b' }])
  })

  test('every replica gets a change, and drops the antennas of a removed reader', async ({ tracking }) => {
    const other = openDatabase<Tables>(tracking.url, { max: 3 })
    const replica = new ReaderDirectory(other.db, other.pool, log)
    await replica.start()
    const dock = tracking.catalog.location(1, 'Dock')
    const id = await created(tracking)
    await tracking.call('POST', `/readers/${id}/scan-points`, { body: { name: 'p', location_id: dock.id } })
    expect(tracking.directory.assignment(1, 'dock-1', 1)).toMatchObject({
      isAssigned: true,
      locationId: dock.id,
    })
    await eventually(() =>
      expect(replica.assignment(1, 'dock-1', 1)).toMatchObject({ isAssigned: true, locationId: dock.id }),
    )
    await tracking.call('DELETE', `/readers/${id}`)
    await eventually(() => expect(replica.assignment(1, 'dock-1', 1)).toEqual({ isAssigned: false }))
    await replica.stop()
    await other.close()
  })

  test('a replica whose database machine disappeared learns of later changes over a new connection', async ({
    tracking,
  }) => {
    const way = await wayTo(tracking.url)
    const other = openDatabase<Tables>(way.url, { max: 2, statementTimeoutMs: 1_000 })
    const replica = new ReaderDirectory(other.db, other.pool, log, { probeEveryMs: 200 })
    await replica.start()
    way.loseMachine()
    const id = await created(tracking)
    await tracking.call('POST', `/readers/${id}/scan-points`, { body: { antenna: 1, name: 'in' } })
    await vi.waitFor(() => expect(replica.assignment(1, 'dock-1', 1)).toMatchObject({ isAssigned: true }), {
      timeout: 20_000,
    })
    await replica.stop()
    await other.close()
    await way.close()
  })
})
