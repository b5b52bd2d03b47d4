import { describe, expect } from 'vitest'
import {
  atRest,
  beacon,
  DOCK,
  hear,
  heard,
  setPlacement,
  SHELF,
  START,
} from '../../../../test/ingest/beacon.fixture.ts'
import { ingest, message } from '../../../../test/ingest/warehouse.fixture.ts'
import { test, type Tracking } from '../../../../test/tracking.fixture.ts'
import { RecentMinutes } from '../../../ingest/places/recent-minutes.ts'

const at = (second: number) => new Date(START + second * 1_000).toISOString()
const HOUR = 3_600_000

const list = async (tracking: Tracking, query = '', orgId = 1) =>
  (await tracking.call('GET', `/reports/unsteady${query}`, { orgId })).json()
const data = async (tracking: Tracking, query = '') => (await list(tracking, query)).data
const one = () => [new RecentMinutes()]

/** Movements between dock and shelf, one each `everySeconds`. */
const backAndForth = (movements: number, everySeconds = 60) =>
  Array.from({ length: movements + 1 }, (_, i) => heard(i * everySeconds, i % 2 === 0 ? DOCK : SHELF))

describe('D18.8 GET /reports/unsteady', () => {
  test('names what goes back and forth, its places, and the setting that holds it', async ({ tracking }) => {
    const { asset, dock, shelf } = await beacon(tracking)
    await hear(tracking, atRest(0, 12), one())
    const thing = ({ id, external_key, name }: { id: number; external_key: string; name: string }) => ({ id, external_key, name }) // oxfmt-ignore
    expect(await list(tracking)).toEqual({
      data: [
        {
          asset: thing(asset),
          reason: 'flapping',
          locations: [thing(dock), thing(shelf)],
          movements: 11,
          last_at: at(11 * 60 + 5),
          setting: { margin_db: 6, exit_delay_seconds: 120 },
        },
      ],
      limit: 50,
      offset: 0,
      total_count: 1,
    })
    expect(await list(tracking, '', 2)).toMatchObject({ data: [], total_count: 0 })
  })

  test('five times in ten minutes, not four, and not more slowly', async ({ tracking }) => {
    await beacon(tracking)
    await hear(tracking, backAndForth(4), one())
    expect(await data(tracking)).toEqual([])
    await hear(tracking, backAndForth(5).slice(-1), one())
    expect(await data(tracking)).toMatchObject([{ reason: 'flapping', movements: 5 }])
  })

  test('five times in eleven minutes are none', async ({ tracking }) => {
    await beacon(tracking)
    await hear(tracking, backAndForth(5, 165), one())
    expect(await data(tracking)).toEqual([])
  })

  test('a journey over several places is none, and neither are saves', async ({ tracking }) => {
    const { asset } = await beacon(tracking)
    const office = tracking.catalog.location(1, 'Office')
    await tracking.project()
    const keys = ['DOCK', 'SHELF', office.external_key]
    for (let i = 0; i < 9; i += 1) {
      const read = { value: 'E280', location: keys[i % 3]!, at: START + i * 60_000 }
      await ingest(tracking, [message(1, [read])], new RecentMinutes())
    }
    for (let i = 0; i < 7; i += 1) {
      tracking.clock.stoppedAt = START + (20 + i) * 60_000
      const body = { asset_identifiers: [asset.external_key], location_identifier: keys[i % 2] }
      expect((await tracking.call('POST', '/inventory/save', { body })).statusCode).toBe(201)
    }
    delete tracking.clock.stoppedAt
    expect(await tracking.db.selectFrom('movement').selectAll().execute()).toHaveLength(16)
    expect(await data(tracking)).toEqual([])
  })

  test('a read that waits for more than ten minutes, and the setting that carries it', async ({
    tracking,
  }) => {
    const { dock, shelf } = await beacon(tracking)
    await hear(tracking, [heard(10, DOCK), heard(25, SHELF)], one())
    const heardAt = Date.now()
    tracking.clock.stoppedAt = heardAt + 9 * 60_000
    expect(await data(tracking)).toEqual([])
    for (const hours of [1, 20, 400]) {
      tracking.clock.stoppedAt = heardAt + hours * HOUR
      expect(await data(tracking)).toMatchObject([
        { reason: 'waiting', locations: [{ id: dock.id }, { id: shelf.id }], movements: 0, last_at: at(25), setting: { passages: 'carry' } },
      ]) // oxfmt-ignore
    }
    await hear(tracking, [heard(65, SHELF)], one())
    expect(await data(tracking)).toEqual([])
  })

  test('with both reasons it is listed once; after a day no more', async ({ tracking }) => {
    await beacon(tracking)
    await hear(tracking, [...backAndForth(6), heard(6 * 60 + 30, SHELF)], one())
    tracking.clock.stoppedAt = Date.now() + HOUR
    expect(await list(tracking)).toMatchObject({ data: [{ reason: 'flapping' }], total_count: 1 })
    tracking.clock.stoppedAt = Date.now() + 25 * HOUR
    expect(await list(tracking)).toMatchObject({ data: [{ reason: 'waiting' }], total_count: 1 })
  })

  test('the setting names the tag type if its strength does not count yet, and keeps what is higher', async ({
    tracking,
  }) => {
    await beacon(tracking)
    const reads = backAndForth(6).map((read) => Object.assign(read, { value: 'E280', type: 'rfid' }))
    await hear(tracking, reads, one())
    const settingOf = async () => (await data(tracking))[0].setting
    expect(await settingOf()).toEqual({ margin_db: 6, exit_delay_seconds: 120, tag_types: ['ble', 'rfid'] })
    await setPlacement(tracking, { margin_db: 9, tag_types: ['rfid'] })
    expect(await settingOf()).toEqual({ margin_db: 9, exit_delay_seconds: 120 })
  })

  test('a deleted asset is left out, a deleted location has no name', async ({ tracking }) => {
    const { asset, shelf } = await beacon(tracking)
    await hear(tracking, backAndForth(6), one())
    tracking.catalog.change(shelf, { deleted_at: '2026-11-21T00:00:00.000Z' })
    await tracking.project()
    expect((await data(tracking))[0].locations).toMatchObject([{ id: shelf.id, external_key: null, name: null }, { name: 'Dock' }]) // oxfmt-ignore
    tracking.catalog.change(asset, { deleted_at: '2026-11-21T00:00:00.000Z' })
    await tracking.project()
    expect(await list(tracking)).toMatchObject({ data: [], total_count: 0 })
  })

  test('pages have every asset once, the newest first', async ({ tracking }) => {
    await beacon(tracking)
    const values = ['E291', 'E292', 'E293']
    for (const value of values) tracking.catalog.tag(tracking.catalog.asset(1, value), value)
    await tracking.project()
    for (const [i, value] of values.entries())
      await hear(tracking, backAndForth(6 + i).map((read) => Object.assign(read, { value, type: 'rfid' })), one()) // oxfmt-ignore
    const names = async (query: string) => (await data(tracking, query)).map((row: { asset: { name: string } }) => row.asset.name) // oxfmt-ignore
    expect(await names('')).toEqual(['E293', 'E292', 'E291'])
    const pages = [0, 1, 2].map((offset) => names(`?limit=1&offset=${offset}`))
    expect((await Promise.all(pages)).flat()).toEqual(['E293', 'E292', 'E291'])
    expect(await list(tracking, '?offset=3')).toEqual({ data: [], limit: 50, offset: 3, total_count: 3 })
  })
})
