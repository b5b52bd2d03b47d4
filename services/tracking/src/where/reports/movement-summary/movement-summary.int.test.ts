import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import type { Tables } from '../../../db.ts'
import { minuteOf, type Observation } from '../../../positions/observation.ts'
import { store } from '../../../../test/store.ts'
import { test, type Tracking } from '../../../../test/tracking.fixture.ts'
import { movementSummaryHandlers } from './movement-summary.handlers.ts'
import { readBy } from '../../../../test/read-by.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** A past hour of UTC, with at least six past hours after it. */
const START = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 8 * HOUR_MS
const at = (minutes: number, ms = 0) => new Date(START + minutes * MINUTE_MS + ms).toISOString()

/** Seen this many minutes after the start. */
const row = (assetId: number, minutes: number, locationId: number | null, orgId = 1): Observation => ({
  orgId,
  assetId,
  minute: minuteOf(START) + minutes,
  observedAtMs: START + minutes * MINUTE_MS + 500,
  locationId,
  ...readBy('r'),
})

async function read(tracking: Tracking, query: Record<string, string | number> = {}, orgId = 1) {
  const text = new URLSearchParams(query as Record<string, string>).toString()
  return (await tracking.call('GET', `/movements/summary?${text}`, { orgId })).json()
}
const movesOf = async (...asked: Parameters<typeof read>) =>
  (await read(...asked)).data.hours.map((hour: { moves: number }) => hour.moves)

/** Alpha moves from the dock to the shelf and back. Beta has a read without a location between two locations. */
async function journeys(tracking: Tracking) {
  const { catalog } = tracking
  const [alpha, beta, theirs] = [
    catalog.asset(1, 'Alpha'),
    catalog.asset(1, 'Beta'),
    catalog.asset(2, 'Theirs'),
  ]
  const [dock, shelf] = [catalog.location(1, 'Dock'), catalog.location(1, 'Shelf')]
  await tracking.project()
  await store(tracking.db, tracking.view, [
    row(alpha.id, 5, dock.id),
    row(alpha.id, 10, dock.id),
    row(alpha.id, 15, shelf.id),
    row(alpha.id, 150, dock.id),
    row(beta.id, 20, dock.id),
    row(beta.id, 25, null),
    row(beta.id, 30, shelf.id),
    row(beta.id, 160, dock.id),
    row(theirs.id, 40, dock.id, 2),
    row(theirs.id, 45, shelf.id, 2),
  ])
  return { alpha, beta, theirs, dock, shelf }
}

describe('GET /movements/summary', () => {
  test('counts per hour the rows at another location than the row before, including first locations', async ({
    tracking,
  }) => {
    await journeys(tracking)
    expect(await read(tracking, { from: at(0), to: at(180) })).toEqual({
      data: {
        from: at(0),
        to: at(180),
        hours: [
          { hour: at(0), moves: 4 },
          { hour: at(60), moves: 0 },
          { hour: at(120), moves: 2 },
        ],
      },
    })
    expect(await movesOf(tracking, { from: at(0), to: at(60) }, 2)).toEqual([2])
  })

  test('counts arrivals and departures of a location', async ({ tracking }) => {
    const { dock, shelf } = await journeys(tracking)
    const hours = async (location_id: number, orgId = 1) =>
      (await read(tracking, { from: at(0), to: at(180), location_id }, orgId)).data.hours
    expect(await hours(dock.id)).toEqual([
      { hour: at(0), moves: 4, in: 2, out: 1 },
      { hour: at(60), moves: 0, in: 0, out: 0 },
      { hour: at(120), moves: 2, in: 2, out: 0 },
    ])
    expect((await hours(shelf.id))[2]).toMatchObject({ in: 0, out: 2 })
    expect((await hours(4_503_599_627_370_497))[0]).toMatchObject({ moves: 4, in: 0, out: 0 })
  })

  test('counts movements of sub-locations apart, if they are included', async ({ tracking }) => {
    const { dock, shelf } = await journeys(tracking)
    const hall = tracking.catalog.location(1, 'Hall')
    for (const location of [dock, shelf]) tracking.catalog.change(location, { parent_id: hall.id })
    await tracking.project()
    const hours = async (query: Record<string, string | number>, orgId = 1) =>
      (await read(tracking, { from: at(0), to: at(180), ...query }, orgId)).data.hours
    const inside = { location_id: hall.id, include_descendants: 'true' }
    expect(await hours(inside)).toEqual([
      { hour: at(0), moves: 4, in: 3, out: 0, within: 1 },
      { hour: at(60), moves: 0, in: 0, out: 0, within: 0 },
      { hour: at(120), moves: 2, in: 0, out: 0, within: 2 },
    ])
    expect((await hours({ ...inside, location_id: dock.id }))[0]).toMatchObject({ in: 2, out: 1, within: 0 })
    expect((await hours({ location_id: hall.id }))[0]).toEqual({ hour: at(0), moves: 4, in: 0, out: 0 })
    expect((await hours(inside, 2))[0]).toMatchObject({ in: 0, out: 0, within: 0 })
    expect((await read(tracking, { include_descendants: 'true' })).error.fields).toMatchObject([
      { field: 'include_descendants', code: 'invalid_context' },
    ])
  })

  test('counts in steps, and only movements of some assets or types', async ({ tracking }) => {
    const { alpha, beta, theirs, dock } = await journeys(tracking)
    tracking.catalog.change(beta, { type: 'person' })
    await tracking.project()
    const steps = async (query: Record<string, string | number>) =>
      (await read(tracking, { from: at(0), to: at(60), step_seconds: 900, ...query })).data.hours
    expect((await steps({ location_id: dock.id }))[0]).toEqual({ hour: at(0), moves: 1, in: 1, out: 0 })
    const counts = async (query: Record<string, string | number>) =>
      (await steps(query)).map(({ moves }: { moves: number }) => moves)
    expect(await counts({})).toEqual([1, 2, 1, 0])
    expect(await counts({ type: 'person' })).toEqual([0, 1, 1, 0])
    expect(await counts({ asset_id: alpha.id })).toEqual([1, 1, 0, 0])
    expect(await counts({ asset_id: alpha.id, type: 'person' })).toEqual([0, 0, 0, 0])
    expect(await counts({ asset_id: theirs.id })).toEqual([0, 0, 0, 0])
    const refused = await read(tracking, { from: at(-2_000), to: at(0), step_seconds: 60 })
    expect(refused.error.fields).toMatchObject([
      { field: 'step_seconds', code: 'too_small', params: { min: 120 } },
    ])
  })

  test('includes from and not to, and the row before may be before the window', async ({ tracking }) => {
    await journeys(tracking)
    const [moved, just] = [at(15, 500), at(15, 501)]
    expect(await movesOf(tracking, { from: moved, to: at(60) })).toEqual([3])
    expect(await movesOf(tracking, { from: just, to: at(60) })).toEqual([2])
    expect(await movesOf(tracking, { from: at(0), to: moved })).toEqual([1])
    expect(await movesOf(tracking, { from: at(0), to: just })).toEqual([2])
    expect(await movesOf(tracking, { from: at(140), to: at(155) })).toEqual([1])
  })

  test('counts late rows and saves as they are in history', async ({ tracking }) => {
    const { alpha, dock, shelf } = await journeys(tracking)
    await store(tracking.db, tracking.view, [row(alpha.id, 70, dock.id), row(alpha.id, 75, shelf.id)])
    expect(await movesOf(tracking, { from: at(0), to: at(180) })).toEqual([4, 2, 2])
    tracking.clock.stoppedAt = START + 185 * MINUTE_MS
    const body = { asset_identifiers: ['ALPHA'], location_identifier: 'SHELF' }
    await tracking.call('POST', '/inventory/save', { body })
    expect(await movesOf(tracking, { from: at(180), to: at(240) })).toEqual([1])
  })

  test('still counts movements of deleted assets and at deleted locations', async ({ tracking }) => {
    const { alpha, dock } = await journeys(tracking)
    tracking.catalog.change(alpha, { deleted_at: '2026-11-20T00:00:00.000Z' })
    tracking.catalog.change(dock, { deleted_at: '2026-11-20T00:00:00.000Z' })
    await tracking.project()
    expect(await movesOf(tracking, { from: at(0), to: at(180) })).toEqual([4, 0, 2])
  })

  test('covers the last 24 hours by default', async ({ tracking }) => {
    await journeys(tracking)
    tracking.clock.stoppedAt = START + 60 * MINUTE_MS
    const { data } = await read(tracking)
    expect([data.from, data.to, data.hours.length]).toEqual([at(60 - 1_440), at(60), 24])
    expect(data.hours.at(-1)).toEqual({ hour: at(0), moves: 4 })
  })

  test('refuses a window that takes too long in time, and says what to do', async ({ tracking }) => {
    await journeys(tracking)
    const hasty = openTenantDatabase<Tables>(tracking.url, { max: 1, name: 'hasty', readTimeoutMs: 50 })
    const { summarizeMovements } = movementSummaryHandlers({ longReads: hasty, view: tracking.view })
    const asked = { principal: { orgId: 1 }, query: { from: at(0), step_seconds: 3600 } } as Parameters<
      typeof summarizeMovements
    >[0]
    await tracking.db.transaction().execute(async (tx) => {
      await sql`lock table movement`.execute(tx)
      const fields = [{ field: 'from', code: 'invalid_value' }]
      await expect(summarizeMovements(asked)).rejects.toMatchObject({ type: 'validation_error', fields })
    })
    expect(await summarizeMovements(asked)).toMatchObject({ data: { from: at(0) } })
    await hasty.close()
  })

  test('refuses a window that is reversed, empty or too long', async ({ tracking }) => {
    const refused = async (query: Record<string, string>) => (await read(tracking, query)).error.fields
    expect(await refused({ from: at(1), to: at(1) })).toMatchObject([
      { field: 'from', code: 'invalid_value' },
    ])
    const long = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00.001Z' }
    const min = '2026-01-01T00:00:00.001Z'
    expect(await refused(long)).toEqual([
      { field: 'from', code: 'too_small', message: `from must be ≥ ${min}`, params: { min } },
    ])
    expect(await refused({ from: 'yesterday', location_id: 'x' })).toMatchObject([
      { field: 'from', message: "Invalid 'from' timestamp; RFC3339 required" },
      { field: 'location_id', code: 'invalid_value' },
    ])
    for (const to of ['0001-01-01T00:00:01Z', '9999-12-31T23:59:59Z'])
      expect((await read(tracking, { to })).data.hours[0].moves).toBe(0)
  })
})
