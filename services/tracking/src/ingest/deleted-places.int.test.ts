import { describe, expect } from 'vitest'
import { answers, stored } from '../../test/ingest/as-of.fixture.ts'
import { dateChanges, ingest, message, NOW, warehouse } from '../../test/ingest/warehouse.fixture.ts'
import { test, type Tracking } from '../../test/tracking.fixture.ts'

const DETAIL =
  'Antenna 1 is assigned to "Dock", which is deleted, so its reads move nothing. Restore the location, or give the antenna another one.'

const readerId = async (tracking: Tracking) => (await tracking.call('GET', '/readers')).json().data[0].id
const decoded = async (tracking: Tracking) =>
  (
    await tracking.call('POST', `/readers/${await readerId(tracking)}/decode`, {
      body: { message: { reads: [{ tag: { type: 'rfid', value: 'E280' } }] } },
    })
  ).json().data

describe('D18.5 an antenna whose location is deleted', () => {
  test('moves nothing and says so, until the location is restored; three times', async ({ tracking }) => {
    const { dock } = await warehouse(tracking)
    for (const turn of [1, 2, 3]) {
      tracking.catalog.change(dock, { deleted_at: new Date().toISOString() })
      await tracking.project()
      expect(await decoded(tracking)).toMatchObject({
        reads: [{ outcome: 'no_scan_point', location: null }],
        problems: [{ pointer: '', code: 'deleted_location', detail: DETAIL }],
      })
      const gone = await stored(tracking, [{ ago: 60 - 2 * turn }])
      expect(gone.rows).toHaveLength(turn - 1)
      expect(gone.health).toMatchObject({
        reads_unplaced: turn,
        last_problem: DETAIL,
        problems_last_hour: turn,
      })

      tracking.catalog.change(dock, { deleted_at: null })
      await tracking.project()
      expect(await decoded(tracking)).toMatchObject({ reads: [{ outcome: 'scan' }], problems: [] })
      const back = await stored(tracking, [{ ago: 59 - 2 * turn }])
      expect(back.rows.at(-1)).toEqual(['Forklift 7', 'Dock', 59 - 2 * turn])
      expect(back.health).toMatchObject({ reads_unplaced: turn })
    }
    const { data } = (await tracking.call('GET', `/readers/${await readerId(tracking)}/messages`)).json()
    expect(data).toHaveLength(3)
    expect(data[0].problems).toEqual([{ pointer: '', code: 'deleted_location', detail: DETAIL }])
  })

  test('is named with each other such antenna of the message', async ({ tracking }) => {
    const { dock, shelf } = await warehouse(tracking)
    for (const place of [dock, shelf])
      tracking.catalog.change(place, { deleted_at: new Date().toISOString() })
    await tracking.project()
    const reads = [1, 2, 1, 3].map((antenna) => ({ value: 'E280', antenna }))
    await ingest(tracking, [message(1, reads)])
    await tracking.health.flush()
    const { data } = (await tracking.call('GET', `/readers/${await readerId(tracking)}/messages`)).json()
    expect(data[0].problems).toMatchObject([
      { detail: expect.stringContaining('Antenna 1 is assigned to "Dock"') },
      { detail: expect.stringContaining('Antenna 2 is assigned to "Shelf"') },
    ])
  })

  test('takes a read from before it was given another location as deleted too', async ({ tracking }) => {
    const { dock, shelf } = await warehouse(tracking)
    await dateChanges(tracking, NOW - 86_400_000)
    const points = `/readers/${await readerId(tracking)}/scan-points`
    const [{ id }] = (await tracking.call('GET', points)).json().data
    await tracking.call('PATCH', `${points}/${id}`, { body: { location_id: shelf.id } })
    await dateChanges(tracking, NOW - 1_800_000)
    tracking.catalog.change(dock, { deleted_at: new Date().toISOString() })
    await tracking.project()
    for (const answer of await answers(tracking, [{ ago: 60 }, { ago: 10 }]))
      expect(answer).toEqual(['Forklift 7 at Dock', 'Forklift 7 at Shelf'])
    const { rows, health } = await stored(tracking, [{ ago: 60 }, { ago: 10 }])
    expect([rows, health.reads_unplaced]).toEqual([[['Forklift 7', 'Shelf', 10]], 1])
  })
})

test('D18.5 readers with a scan point at some locations are listed, deleted locations too', async ({
  tracking,
}) => {
  const { dock, shelf } = await warehouse(tracking)
  await tracking.call('POST', '/readers', { body: { reader_key: 'bare', name: 'Bare', format: 'canonical' } })
  const keys = async (query: string, orgId = 1) =>
    (await tracking.call('GET', `/readers?${query}`, { orgId }))
      .json()
      .data.map((reader: { reader_key: string }) => reader.reader_key)
  tracking.catalog.change(dock, { deleted_at: new Date().toISOString() })
  await tracking.project()
  expect(await keys(`location_id=${dock.id}`)).toEqual(['dock-1'])
  expect(await keys(`location_id=${dock.id + 900}&location_id=${shelf.id}`)).toEqual(['dock-1'])
  expect(await keys(`location_id=${dock.id + 900}`)).toEqual([])
  expect(await keys(`location_id=${dock.id}`, 2)).toEqual([])
})
