import { LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import { describe, expect } from 'vitest'
import { store } from '../../../test/store.ts'
import { iso, scene, seen } from '../../../test/reports/scene.fixture.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'

describe('GET /assets/{asset_id}/history', () => {
  test('lists the newest first; a duration is the time since the row before, null for the earliest', async ({
    tracking,
  }) => {
    const { a, dock, shelf } = await scene(tracking)
    const res = await tracking.call('GET', `/assets/${a.id}/history`)
    expect(res.json()).toEqual({
      data: [
        {
          event_observed_at: iso(10),
          location_id: shelf.id,
          location_external_key: 'SHELF',
          duration_seconds: 600,
        },
        {
          event_observed_at: iso(20),
          location_id: dock.id,
          location_external_key: 'DOCK',
          duration_seconds: 600,
        },
        {
          event_observed_at: iso(30),
          location_id: dock.id,
          location_external_key: 'DOCK',
          duration_seconds: null,
        },
      ],
      limit: 50,
      offset: 0,
      total_count: 3,
    })
  })

  test('D8.1 from and to are inclusive, and durations count from the row before the range', async ({
    tracking,
  }) => {
    const { a } = await scene(tracking)
    const res = await tracking.call(
      'GET',
      `/assets/${a.id}/history?from=${iso(20)}&to=${iso(10)}&sort=event_observed_at`,
    )
    expect(
      res
        .json()
        .data.map((r: { event_observed_at: string; duration_seconds: number }) => [
          r.event_observed_at,
          r.duration_seconds,
        ]),
    ).toEqual([
      [iso(20), 600],
      [iso(10), 600],
    ])
    expect(res.json().total_count).toBe(2)
  })

  test('an invalid from is refused with the text of the contract', async ({ tracking }) => {
    const { a } = await scene(tracking)
    const res = await tracking.call('GET', `/assets/${a.id}/history?from=2026-11-21`)
    expect(res.json().error.fields).toEqual([
      { field: 'from', code: 'invalid_value', message: "Invalid 'from' timestamp; RFC3339 required" },
    ])
  })

  test("a deleted asset is 404 at once, another organization's always", async ({ tracking }) => {
    const { a, theirs } = await scene(tracking)
    expect((await tracking.call('GET', `/assets/${theirs.id}/history`)).statusCode).toBe(404)
    const gone = { ...a, revision: a.revision + 1_000, deleted_at: '2026-11-21T00:00:00.000Z' }
    tracking.catalog.assets = tracking.catalog.assets.map((asset) => (asset.id === a.id ? gone : asset))
    expect((await tracking.call('GET', `/assets/${a.id}/history`)).statusCode).toBe(404)
  })

  test('without catalog, the last known state decides', async ({ tracking }) => {
    const { a } = await scene(tracking)
    tracking.catalog.isUnreachable = true
    expect((await tracking.call('GET', `/assets/${a.id}/history`)).statusCode).toBe(200)
  })

  test('an asset created a moment ago has an empty history, not a 404', async ({ tracking }) => {
    const fresh = tracking.catalog.asset(1, 'Fresh')
    const res = await tracking.call('GET', `/assets/${fresh.id}/history`)
    expect(res.json()).toEqual({ data: [], limit: 50, offset: 0, total_count: 0 })
  })

  test('D8.3 a deleted location keeps its id and has no key', async ({ tracking }) => {
    const { a, shelf } = await scene(tracking)
    const gone = { ...shelf, revision: shelf.revision + 1_000, deleted_at: '2026-11-20T00:00:00.000Z' }
    tracking.catalog.locations = [gone]
    await tracking.project()
    const { data } = (await tracking.call('GET', `/assets/${a.id}/history?limit=1`)).json()
    expect(data).toMatchObject([
      { location_id: shelf.id, location_external_key: null, duration_seconds: 600 },
    ])
  })

  test('D8.1 the bounds count to the microsecond, also inside a minute', async ({ tracking }) => {
    const { a } = await scene(tracking)
    const [row, before, after] = [0, -1, 1].map((ms) => new Date(Date.parse(iso(20)) + ms).toISOString()) as [
      string,
      string,
      string,
    ]
    const times = async (query: string) =>
      (await tracking.call('GET', `/assets/${a.id}/history?${query}`))
        .json()
        .data.map((r: { event_observed_at: string }) => r.event_observed_at)
    expect(await times(`from=${row}&to=${row}`)).toEqual([row])
    expect(await times(`from=${row.replace('Z', '000000Z')}`)).toEqual([iso(10), row])
    expect(await times(`from=${row.replace('Z', '000001Z')}`)).toEqual([iso(10), row]) // finer than a microsecond
    expect(await times(`from=${row.replace('Z', '001Z')}`)).toEqual([iso(10)])
    expect(await times(`from=${after}`)).toEqual([iso(10)])
    expect(await times(`to=${row}`)).toEqual([row, iso(30)])
    expect(await times(`to=${before}`)).toEqual([iso(30)])
    expect(await times(`from=${before}&to=${after}`)).toEqual([row])
    expect(await times(`from=${after}&to=${before}`)).toEqual([])
  })

  test('pages in either direction have every row once', async ({ tracking }) => {
    const asset = tracking.catalog.asset(1, 'Beacon')
    await tracking.project()
    const rows = Array.from({ length: 60 }, (_, i) => seen(asset.id, null, i * 7))
    await store(tracking.db, tracking.view, rows)
    for (const sort of ['event_observed_at', '-event_observed_at']) {
      const pages = []
      for (let offset = 0; offset <= 60; offset += 25) {
        const page = await tracking.call(
          'GET',
          `/assets/${asset.id}/history?limit=25&offset=${offset}&sort=${sort}`,
        )
        expect(page.json().total_count).toBe(60)
        pages.push(...page.json().data)
      }
      const oldestFirst = sort.startsWith('-') ? pages.toReversed() : pages
      expect(oldestFirst.map((row) => row.event_observed_at)).toEqual(rows.map((_, i) => iso((59 - i) * 7)))
      expect(oldestFirst.map((row) => row.duration_seconds)).toEqual([
        null,
        ...Array.from({ length: 59 }, () => 420),
      ])
    }
  })

  test('an offset past the end is an empty page with the true total', async ({ tracking }) => {
    const { a } = await scene(tracking)
    const res = await tracking.call('GET', `/assets/${a.id}/history?offset=3`)
    expect(res.json()).toEqual({ data: [], limit: 50, offset: 3, total_count: 3 })
  })

  test('as CSV it has the same rows, with the total in a header', async ({ tracking }) => {
    const { a, dock } = await scene(tracking)
    const res = await tracking.call('GET', `/assets/${a.id}/history?limit=1&offset=2`, { accept: 'text/csv' })
    expect(res.headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8', 'x-total-count': '3' })
    expect(res.body).toBe(
      `\uFEFFevent_observed_at,location_id,location_external_key,duration_seconds\r\n${iso(30)},${dock.id},DOCK,\r\n`,
    )
  })
})

describe('GET /legacy/api/v1/assets/{identifier}/history', () => {
  const call = (tracking: Tracking, path: string, orgId = 1) =>
    tracking.call('GET', path, { base: LEGACY_PREFIX, orgId })

  test('D1.2 is the same history with legacy names', async ({ tracking }) => {
    const { dock } = await scene(tracking)
    tracking.catalog.locations = [{ ...dock, revision: 10_000, deleted_at: '2026-11-20T00:00:00.000Z' }]
    await tracking.project()
    expect((await call(tracking, '/assets/ALPHA/history?limit=2')).json()).toEqual({
      data: [
        { location: 'SHELF', timestamp: iso(10), duration_seconds: 600 },
        { location: null, timestamp: iso(20), duration_seconds: 600 },
      ],
      limit: 2,
      offset: 0,
      total_count: 3,
    })
    const range = await call(tracking, `/assets/ALPHA/history?from=${iso(20)}&sort=timestamp`)
    expect(range.json().data.map((row: { timestamp: string }) => row.timestamp)).toEqual([iso(20), iso(10)])
  })

  test('is 404 for unknown, deleted and foreign assets, and does not know the current names', async ({
    tracking,
  }) => {
    const { a } = await scene(tracking)
    expect((await call(tracking, '/assets/THEIRS/history')).statusCode).toBe(404)
    expect((await call(tracking, '/assets/THEIRS/history', 2)).statusCode).toBe(200)
    const gone = { ...a, revision: 10_000, deleted_at: '2026-11-21T00:00:00.000Z' }
    tracking.catalog.assets = tracking.catalog.assets.map((asset) => (asset.id === a.id ? gone : asset))
    expect((await call(tracking, '/assets/ALPHA/history')).statusCode).toBe(404)
    const wrong = await call(tracking, '/assets/ALPHA/history?sort=event_observed_at&to=x')
    expect(wrong.json().error.fields).toMatchObject([
      { field: 'to', message: "Invalid 'to' timestamp; RFC3339 required" },
      { field: 'sort', code: 'invalid_value' },
    ])
  })

  test('D8.9 a new or renamed asset has one at once; without catalog, the projection decides', async ({
    tracking,
  }) => {
    await scene(tracking)
    tracking.catalog.asset(1, 'Fresh')
    expect((await call(tracking, '/assets/FRESH/history')).json().total_count).toBe(0)
    tracking.catalog.isUnreachable = true
    expect((await call(tracking, '/assets/ALPHA/history')).json().total_count).toBe(3)
    expect((await call(tracking, '/assets/FRESH-2/history')).statusCode).toBe(404)
  })
})
