import type { Movement, MovementPage } from '@whereabouts/contracts/resources/tracking/movements'
import { fc, limits } from '@whereabouts/testing/fuzz'
import { describe, expect } from 'vitest'
import { readBy } from '../../../test/read-by.ts'
import { store } from '../../../test/store.ts'
import { test, type Tracking } from '../../../test/tracking.fixture.ts'
import { minuteOf, type Observation } from '../../positions/observation.ts'

const MINUTE = 60_000
const START = Math.floor(Date.now() / MINUTE) * MINUTE - 300 * MINUTE
const at = (minutes: number, ms = 0) => new Date(START + minutes * MINUTE + ms).toISOString()

const row = (
  assetId: number,
  minutes: number,
  locationId: number | null,
  { orgId = 1, ms = 500 } = {},
): Observation => ({
  orgId,
  assetId,
  minute: minuteOf(START) + minutes,
  observedAtMs: START + minutes * MINUTE + ms,
  locationId,
  ...readBy('r'),
})

type Query = Record<string, string | number | boolean | readonly (string | number)[]>

async function call(tracking: Tracking, query: Query = {}, orgId = 1) {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)]),
  )
  return tracking.call('GET', `/movements?${new URLSearchParams(pairs as [string, string][]).toString()}`, {
    orgId,
  })
}
const read = async (...asked: Parameters<typeof call>): Promise<MovementPage> => (await call(...asked)).json()

/** All pages. `between` runs after each page. */
async function readAll(tracking: Tracking, query: Query, between: () => Promise<void> = async () => {}) {
  const all: Movement[] = []
  for (let after: string | null = ''; after !== null;) {
    const page: MovementPage = await read(tracking, { ...query, ...(after && { after }) })
    expect(page.has_more).toBe(page.cursor !== null)
    all.push(...page.data)
    after = page.cursor
    await between()
  }
  return all
}

const places = ({ catalog }: Tracking) =>
  ['Dock', 'Shelf', 'Yard'].map((name) => catalog.location(1, name)) as [Place, Place, Place]
type Place = ReturnType<Tracking['catalog']['location']>

const brief = ({ asset, from_location: from, to_location: to, occurred_at, dwell_seconds }: Movement) => [
  asset.name,
  occurred_at,
  from && from.name,
  to.name,
  dwell_seconds,
]

describe('GET /movements', () => {
  test('D17.7 lists changes of location with names of now, newest first', async ({ tracking }) => {
    const { catalog } = tracking
    const [alpha, beta, theirs] = [
      catalog.asset(1, 'Alpha'),
      catalog.asset(1, 'Beta'),
      catalog.asset(2, 'Theirs'),
    ]
    const [dock, shelf] = places(tracking)
    await tracking.project()
    await store(tracking.db, tracking.view, [
      row(alpha.id, 0, dock.id),
      row(alpha.id, 1, dock.id),
      row(alpha.id, 5, shelf.id, { ms: 499 }),
      row(beta.id, 2, dock.id),
      row(beta.id, 3, null),
      row(beta.id, 4, dock.id),
      row(theirs.id, 6, dock.id, { orgId: 2 }),
    ])
    const thing = ({ id, external_key, name }: Place | typeof alpha) => ({ id, external_key, name })
    const { data, ...rest } = await read(tracking)
    expect(rest).toEqual({ cursor: null, has_more: false })
    expect(data[0]).toEqual({
      occurred_at: at(5, 499),
      asset: thing(alpha),
      from_location: thing(dock),
      to_location: thing(shelf),
      dwell_seconds: null,
    })
    expect(data.map(brief)).toEqual([
      ['Alpha', at(5, 499), 'Dock', 'Shelf', null],
      ['Beta', at(4, 500), null, 'Dock', null],
      ['Beta', at(2, 500), null, 'Dock', 120],
      ['Alpha', at(0, 500), null, 'Dock', 299],
    ])
    // A late scan adds a movement and shortens the dwell before it.
    await store(tracking.db, tracking.view, [row(alpha.id, 3, shelf.id)])
    catalog.change(alpha, { deleted_at: at(10), name: 'Gone' })
    catalog.change(dock, { deleted_at: at(10) })
    catalog.change(shelf, { name: 'Rack' })
    await tracking.project()
    const after = await read(tracking, { asset_id: alpha.id })
    expect(after.data.map(brief)).toEqual([
      [null, at(3, 500), null, 'Rack', null],
      [null, at(0, 500), null, null, 180],
    ])
    expect(after.data[0]).toMatchObject({
      asset: { id: alpha.id, external_key: null },
      from_location: { id: dock.id, external_key: null, name: null },
    })
  })

  test(
    'D17.7 filters and pages of any size are those of the whole list',
    { timeout: 60_000 },
    async ({ tracking }) => {
      const { catalog } = tracking
      const kinds = { A: 'asset', B: 'person', C: 'inventory', D: 'asset' }
      const assets = Object.entries(kinds).map(([name, type]) => catalog.asset(1, name, { type }))
      const [dock, shelf, yard] = places(tracking)
      for (const place of [dock, shelf]) catalog.change(place, { parent_id: yard.id })
      await tracking.project()
      const ids = [dock.id, shelf.id, yard.id]
      const rows = Array.from({ length: 240 }, (_, i) =>
        row(assets[i % 4]!.id, Math.floor(i / 4), ids[(Math.floor(i / 4) + (i % 4)) % 3]!, {
          ms: (i % 3) * 100,
        }),
      )
      await store(tracking.db, tracking.view, rows)
      const whole = await readAll(tracking, { limit: 500 })
      expect(whole.length).toBeGreaterThan(100)
      const many = Array.from({ length: 199 }, (_, i) => 9_000_000 + i)
      const instant = fc.nat({ max: 60 * MINUTE }).map((ms) => at(0, ms - (ms % 100)))
      const query = fc.record(
        {
          from: instant,
          to: instant,
          asset_id: fc.subarray(
            assets.map(({ id }) => id),
            { minLength: 1 },
          ),
          location_id: fc.constantFrom(
            [dock.id],
            [dock.id, shelf.id],
            [yard.id],
            [yard.id, ...many],
            [9_000_000],
          ),
          include_descendants: fc.boolean(),
          type: fc.subarray(['asset', 'person'], { minLength: 1 }),
          limit: fc.constantFrom(1, 7, 50, 500),
        },
        { requiredKeys: ['limit'] },
      )
      const property = fc.asyncProperty(query, async (asked) => {
        const { from = '', to = '9', asset_id, location_id, include_descendants, type } = asked
        const inside = include_descendants && location_id?.includes(yard.id) ? ids : location_id
        const expected = whole.filter(
          (m) =>
            m.occurred_at >= from &&
            m.occurred_at <= to &&
            (!type || type.includes(kinds[m.asset.name as keyof typeof kinds])) &&
            (!asset_id || asset_id.includes(m.asset.id)) &&
            (!inside || [m.to_location, m.from_location].some((place) => place && inside.includes(place.id))),
        )
        const pages = await readAll(tracking, {
          ...asked,
          limit: Math.max(asked.limit, Math.ceil(expected.length / 6)),
        })
        expect(pages).toEqual(expected)
      })
      await fc.assert(property, limits(60, 20_000))
    },
  )

  test('D17.7 a type is that of now, also of deleted assets, and a rare one is found behind many movements', async ({
    tracking,
  }) => {
    const { catalog, db } = tracking
    const [forklift, worker] = [catalog.asset(1, 'Forklift'), catalog.asset(1, 'Worker', { type: 'person' })]
    const others = Array.from({ length: 60 }, (_, i) => catalog.asset(1, `Tote ${i}`))
    const theirs = catalog.asset(2, 'Theirs', { type: 'person' })
    const [dock, shelf] = places(tracking)
    await tracking.project()
    await store(db, tracking.view, [
      row(worker.id, 0, dock.id),
      row(forklift.id, 0, dock.id),
      row(theirs.id, 0, dock.id, { orgId: 2 }),
    ])
    for (let minute = 1; minute <= 90; minute += 1)
      await store(db, tracking.view, others.map(({ id }) => row(id, minute, minute % 2 ? dock.id : shelf.id))) // oxfmt-ignore
    const idsOf = async (query: Query) => (await read(tracking, query)).data.map(({ asset }) => asset.id)
    expect(await idsOf({ type: 'person' })).toEqual([worker.id])
    expect(await idsOf({ type: 'person', location_id: dock.id })).toEqual([worker.id])
    expect(await idsOf({ type: 'person', location_id: shelf.id })).toEqual([])
    expect(await idsOf({ type: 'inventory' })).toEqual([])
    catalog.change(worker, { type: 'inventory', deleted_at: at(10) })
    await tracking.project()
    expect(await idsOf({ type: 'person' })).toEqual([])
    expect(await idsOf({ type: ['inventory', 'person'] })).toEqual([worker.id])
    expect((await call(tracking, { type: 'boat' })).json().error.fields).toMatchObject([
      { field: 'type', code: 'invalid_value' },
    ])
  })

  test('D17.7 pages lose and repeat nothing while movements arrive', async ({ tracking }) => {
    const { catalog } = tracking
    const assets = ['A', 'B', 'C'].map((name) => catalog.asset(1, name))
    const [dock, shelf] = places(tracking)
    await tracking.project()
    const moves = (minute: number) =>
      store(tracking.db, tracking.view, assets.map(({ id }) => row(id, minute, minute % 2 ? dock.id : shelf.id))) // oxfmt-ignore
    for (let minute = 0; minute < 5; minute += 1) await moves(minute)
    const before = await readAll(tracking, { limit: 500 })
    let minute = 5
    const seen = await readAll(tracking, { limit: 2 }, () => moves(minute++).then(() => undefined))
    const keys = (all: Movement[]) => all.map(({ asset, occurred_at }) => `${asset.id} ${occurred_at}`)
    expect(keys(seen)).toEqual(keys(before))
    expect(minute).toBeGreaterThan(10)
  })

  test('D17.7 a cursor that no page of the organization returned is refused', async ({ tracking }) => {
    const asset = tracking.catalog.asset(1, 'A')
    const [dock, shelf] = places(tracking)
    await tracking.project()
    await store(tracking.db, tracking.view, [row(asset.id, 0, dock.id), row(asset.id, 1, shelf.id)])
    const { cursor } = await read(tracking, { limit: 1 })
    expect((await read(tracking, { limit: 1, after: cursor! })).data).toHaveLength(1)
    const forged = Buffer.from('1 9999999999999999 5').toString('base64url')
    for (const [after, orgId] of [
      ['', 1],
      ['x', 1],
      [`${cursor}=`, 1],
      [forged, 1],
      [cursor!, 2],
    ] as const) {
      const refused = (await call(tracking, { after }, orgId)).json()
      expect(refused.error, after).toMatchObject({
        type: 'validation_error',
        fields: [{ field: 'after', code: 'invalid_value' }],
      })
    }
  })
})
