import { describe, expect } from 'vitest'
import { beacon, DOCK, hear, heard, setPlacement, SHELF, START } from '../../../test/ingest/beacon.fixture.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import { LastReads } from '../../ingest/last-reads.loop.ts'
import { RecentMinutes } from '../../ingest/places/recent-minutes.ts'

const at = (second: number) => new Date(START + second * 1_000).toISOString()
const list = async (tracking: Tracking, assetId: number, query = '') =>
  (await tracking.call('GET', `/assets/${assetId}/sightings${query}`)).json()
const one = () => [new RecentMinutes()]
const gone = { deleted_at: '2026-11-21T00:00:00.000Z' }

describe('D18.3 D18.8 what sightings say of a passage', () => {
  test('the place that waits is named, on every page, until it is carried', async ({ tracking }) => {
    const { asset, shelf } = await beacon(tracking)
    for (const minute of [0, 2, 4]) {
      await setPlacement(tracking, { passages: 'next_observation' })
      await hear(tracking, [heard(minute * 60 + 10, DOCK), heard(minute * 60 + 25, SHELF)], one())
      const waiting = {
        location: { id: shelf.id, external_key: 'SHELF', name: 'Shelf' },
        at: at(minute * 60 + 25),
      }
      for (const query of ['', '?limit=1', '?offset=100', '?to=2020-01-01T00:00:00Z'])
        expect((await list(tracking, asset.id, query)).waiting).toEqual(waiting)
      await setPlacement(tracking, { passages: 'carry' })
      await new LastReads({ ...tracking.ingest, now: () => Date.now() + 60_000 }).turn()
      const { data, waiting: then } = await list(tracking, asset.id)
      expect(then).toBeNull()
      expect(data.slice(0, 2)).toMatchObject([
        { observed_at: at(minute * 60 + 60), carried_from: at(minute * 60 + 25), decided_by: 'scan_point', scan_point: { name: 'up' } },
        { observed_at: at(minute * 60 + 10), carried_from: null, scan_point: { name: 'in' } },
      ]) // oxfmt-ignore
    }
  })

  test('a place that is deleted meanwhile keeps its id', async ({ tracking }) => {
    const { asset, shelf } = await beacon(tracking)
    await hear(tracking, [heard(10, DOCK), heard(25, SHELF)], one())
    tracking.catalog.change(shelf, gone)
    await tracking.project()
    expect((await list(tracking, asset.id)).waiting.location).toEqual({ id: shelf.id, external_key: null, name: null }) // oxfmt-ignore
  })

  test('what an earlier release left from another minute does not wait', async ({ tracking }) => {
    const { asset } = await beacon(tracking)
    await hear(tracking, [heard(10, DOCK), heard(25, SHELF)], one())
    await tracking.db.updateTable('position').set({ minute: at(60) }).where('asset_id', '=', asset.id).execute() // oxfmt-ignore
    expect((await list(tracking, asset.id)).waiting).toBeNull()
  })
})

describe('D18.8 what sightings say was set aside', () => {
  test('in the newest minute and when it has ended, strongest first, also beside a decision', async ({
    tracking,
  }) => {
    const { asset, dock, shelf, points } = await beacon(tracking)
    const yard = tracking.catalog.location(1, 'Yard')
    await tracking.project()
    await tracking.call('POST', points, { body: { name: 'yard', antenna: 4, location_id: yard.id } })
    await setPlacement(tracking, { margin_db: 6, exit_delay_seconds: 120 })
    const reads = [heard(10, DOCK, -50), heard(20, SHELF, -80), heard(30, 4, -70), heard(40, 4, -75)]
    await hear(tracking, reads, one())
    const aside = [
      { location: { id: yard.id, external_key: 'YARD', name: 'Yard' }, reader_key: 'dock-1', rssi: -70, reads: 2 },
      { location: { id: shelf.id, external_key: 'SHELF', name: 'Shelf' }, reader_key: 'dock-1', rssi: -80, reads: 1 },
    ] // oxfmt-ignore
    const first = { location: { id: dock.id }, decided_by: 'scan_point', scan_point: { name: 'in' } }
    expect((await list(tracking, asset.id)).data).toMatchObject([{ ...first, outvoted: aside }])
    await hear(tracking, [heard(70, SHELF, -81)], one())
    const [newest, before] = (await list(tracking, asset.id)).data
    expect(before).toMatchObject({ ...first, outvoted: aside })
    expect(newest).toMatchObject({
      location: { id: dock.id },
      decided_by: 'outvoted',
      scan_point: null,
      location_key: null,
      antenna: SHELF,
      tag: { tag_type: 'ble' },
      outvoted: [{ location: { id: shelf.id }, rssi: -81 }],
    })
    tracking.catalog.change(yard, gone)
    await tracking.project()
    const [, then] = (await list(tracking, asset.id)).data
    expect(then.outvoted[0].location).toEqual({ id: yard.id, external_key: null, name: null })
  })
})
