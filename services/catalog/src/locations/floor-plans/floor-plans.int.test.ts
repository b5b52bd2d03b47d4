import { floorLimits, type FloorPlan } from '@whereabouts/contracts/resources/catalog/floor-plans'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'
import { floorOf, zone } from '../../../test/floor.fixture.ts'

const idsOf = (plan: FloorPlan | undefined) => plan?.zones.map(({ location_id }) => location_id)
const times = <T>(n: number, value: T): T[] => Array.from({ length: n }, () => value)
const errorOf = (res: { json: () => { error: object } }) => res.json().error

test('a plan of everything and one of a location are saved and listed', async ({ catalog }) => {
  const floor = floorOf(catalog)
  const hall = await catalog.location()
  const bay = await catalog.location({ parent_id: hall.id })
  expect(await floor.list()).toEqual([])
  const readers = [{ reader_id: 7, x: 0, y: 10_000 }]
  const saved = await floor.save('all', { zones: [zone(hall), zone(bay, 5)], readers })
  expect(saved.statusCode).toBe(200)
  const all = saved.json().data
  expect(all).toEqual({
    place: 'all',
    image: null,
    zones: [zone(hall), zone(bay, 5)],
    readers,
    version: 1,
    updated_at: expect.any(String),
  })
  const ofHall = (await floor.save(hall.id, { zones: [zone(bay)] })).json().data
  expect(ofHall).toMatchObject({ place: String(hall.id), zones: [zone(bay)], version: 1 })
  expect(await floor.list()).toEqual([all, ofHall])
  const emptied = (await floor.save('all', { version: 1 })).json().data
  expect(emptied).toMatchObject({ zones: [], readers: [], version: 2 })
  expect(Date.parse(emptied.updated_at)).toBeGreaterThan(Date.parse(all.updated_at))
})

test('a plan that somebody else has saved meanwhile is a conflict', async ({ catalog, replica }) => {
  const floors = [floorOf(catalog), floorOf(replica)]
  const racers = (version: number) =>
    Promise.all(
      Array.from({ length: 6 }, async (_, i) => (await floors[i % 2]?.save('all', { version }))?.statusCode),
    )
  for (const version of [0, 1])
    expect((await racers(version)).toSorted((a = 0, b = 0) => a - b)).toEqual([200, 409, 409, 409, 409, 409])
  expect(errorOf(await floorOf(catalog).save('all', { version: 1 }))).toMatchObject({
    type: 'conflict',
    detail: 'Somebody else has changed this floor plan. Load it and make your changes again.',
  })
})

describe('a location that is deleted', () => {
  test('takes its zones off, and a restore brings them back, also after a save', async ({ catalog }) => {
    const floor = floorOf(catalog)
    const [a, b] = [await catalog.location(), await catalog.location()]
    await floor.save('all', { zones: [zone(a, 1), zone(b)] })
    await catalog.delete(`/locations/${a.id}`)
    expect(idsOf((await floor.list())[0])).toEqual([b.id])
    const saved = (await floor.save('all', { zones: [zone(b, 2)], version: 1 })).json().data
    expect(idsOf(saved)).toEqual([b.id])
    await catalog.post(`/locations/${a.id}/restore`, {})
    expect((await floor.list())[0]?.zones).toEqual([zone(a, 1), zone(b, 2)])
  })

  test('takes its plan away, and a restore brings it back', async ({ catalog }) => {
    const floor = floorOf(catalog)
    const hall = await catalog.location()
    const saved = (await floor.save(hall.id, { readers: [{ reader_id: 1, x: 1, y: 1 }] })).json().data
    await catalog.delete(`/locations/${hall.id}`)
    expect(await floor.list()).toEqual([])
    expect((await floor.save(hall.id, { version: 1 })).statusCode).toBe(404)
    await catalog.post(`/locations/${hall.id}/restore`, {})
    expect(await floor.list()).toEqual([saved])
  })

  test('is dropped when its room is needed', async ({ catalog }) => {
    const floor = floorOf(catalog)
    const [hall, gone] = [await catalog.location(), await catalog.location()]
    await store(catalog, gone.id, floorLimits.zones - 2)
    await floor.save('all', { zones: [zone(hall), zone(gone)] })
    await catalog.delete(`/locations/${gone.id}`)
    const bay = await catalog.location()
    expect((await floor.save('all', { zones: [zone(hall), zone(bay)], version: 1 })).statusCode).toBe(200)
    await catalog.post(`/locations/${gone.id}/restore`, {})
    expect(await floor.list()).toMatchObject([{ place: 'all', zones: [zone(hall), zone(bay)], version: 2 }])
  })
})

test('a location that is moved away or renamed', async ({ catalog }) => {
  const floor = floorOf(catalog)
  const hall = await catalog.location()
  const bay = await catalog.location({ parent_id: hall.id })
  await floor.save(hall.id, { zones: [zone(bay)] })
  await catalog.post(`/locations/${bay.id}/rename`, { external_key: 'OTHER' })
  expect(idsOf((await floor.list())[0])).toEqual([bay.id])
  await catalog.patch(`/locations/${bay.id}`, { parent_id: null })
  expect(idsOf((await floor.list())[0])).toEqual([])
})

test('a zone needs a live location of the organization, below the place', async ({ catalog, otherOrg }) => {
  const floor = floorOf(catalog)
  const hall = await catalog.location()
  const bay = await catalog.location({ parent_id: hall.id })
  const gone = await catalog.location({ parent_id: hall.id })
  await catalog.delete(`/locations/${gone.id}`)
  const elsewhere = await catalog.location()
  const theirs = await catalog.location({}, { org: otherOrg })
  const inside = (index: number) => ({
    field: `zones[${index}].location_id`,
    code: 'fk_not_found',
    message: `zones[${index}].location_id does not refer to a location inside the location of this plan`,
  })
  const refused = await floor.save(hall.id, {
    zones: [bay, gone, theirs, hall, { id: 1 }, elsewhere].map((one) => zone(one)),
  })
  expect(refused.statusCode).toBe(400)
  expect(refused.json().error.fields).toEqual([1, 2, 3, 4, 5].map(inside))
  expect((await floor.save('all', { zones: [zone(theirs)] })).json().error.fields).toMatchObject([
    { message: 'zones[0].location_id does not refer to a location' },
  ])
  expect(await floor.list()).toEqual([])
})

test.for<[string, string, (at: { id: number }) => object]>([
  ['zones[0].points', 'too_short', (at) => ({ zones: [{ ...zone(at), points: [[0, 0], [1, 1]] }] })],
  ['zones[0].points', 'too_long', (at) => ({ zones: [{ ...zone(at), points: times(101, [0, 0]) }] })],
  ['zones[0].points[0]', 'too_long', (at) => ({ zones: [{ ...zone(at), points: times(3, [0, 0, 0]) }] })],
  ['zones[0].points[0][1]', 'too_large', (at) => ({ zones: [{ ...zone(at), points: times(3, [0, 10_001]) }] })],
  ['zones[1].location_id', 'invalid_value', (at) => ({ zones: [zone(at), zone(at)] })],
  ['zones', 'too_long', (at) => ({ zones: times(2_001, { ...zone(at) }) })],
  ['readers[0].x', 'invalid_value', () => ({ readers: [{ reader_id: 1, x: 0.5, y: 0 }] })],
  ['readers[0].y', 'too_small', () => ({ readers: [{ reader_id: 1, x: 0, y: -1 }] })],
  ['readers[1].reader_id', 'invalid_value', () => ({ readers: times(2, { reader_id: 1, x: 0, y: 0 }) })],
  ['version', 'too_small', () => ({ version: -1 })],
])('%s is %s', async ([field, code, bodyOf], { catalog }) => {
  const res = await floorOf(catalog).save('all', bodyOf(await catalog.location()))
  expect(res.statusCode).toBe(400)
  expect(res.json().error.fields).toContainEqual(expect.objectContaining({ field, code }))
}) // oxfmt-ignore

test.for([
  ['nowhere', 400],
  ['0', 400],
  ['1', 404],
  ['9007199254740993', 404],
] as const)('the place %s is refused', async ([place, status], { catalog }) => {
  expect((await floorOf(catalog).save(place)).statusCode).toBe(status)
})

/** Stores a plan with this many zones of no location, or readers. */
const store = ({ database, orgId }: Catalog, place: number, zones: number, readers = 0) =>
  database.pool.query(
    `insert into floor_plan (org_id, place, zones, readers, version) select $1, $2,
       (select coalesce(jsonb_agg(jsonb_build_object('location_id', n, 'points', '[]'::jsonb)), '[]') from generate_series(1, $3::int) as n),
       (select coalesce(jsonb_agg(jsonb_build_object('reader_id', n, 'x', 0, 'y', 0)), '[]') from generate_series(1, $4::int) as n), 1`,
    [orgId, place, zones, readers],
  )

describe('the limits of an organization', () => {
  test('200 plans', async ({ catalog, otherOrg }) => {
    const { id } = await catalog.location()
    await catalog.database.pool.query(
      `with made as (insert into location (org_id, external_key, name) select $1, 'L' || n, 'x'
         from generate_series(1, $2::int) as n returning id)
       insert into floor_plan (org_id, place, zones, readers, version) select $1, id, '[]', '[]', 1 from made`,
      [catalog.orgId, floorLimits.plans - 1],
    )
    const floor = floorOf(catalog)
    expect((await floor.save(id)).statusCode).toBe(200)
    expect(errorOf(await floor.save('all'))).toMatchObject({
      type: 'conflict',
      detail: 'An organization can have at most 200 floor plans',
    })
    expect((await floor.save(id, { version: 1 })).statusCode).toBe(200)
    expect((await floorOf(catalog, { org: otherOrg }).save('all')).statusCode).toBe(200)
  })

  test('500 readers over all plans', async ({ catalog }) => {
    const hall = await catalog.location()
    await store(catalog, hall.id, 0, floorLimits.readers - 1)
    const readers = (n: number) => Array.from({ length: n }, (_, i) => ({ reader_id: i + 1, x: 0, y: 0 }))
    const floor = floorOf(catalog)
    expect(errorOf(await floor.save('all', { readers: readers(2) }))).toMatchObject({
      type: 'conflict',
      detail: 'An organization can have at most 500 readers on its floor plans. Remove some readers first.',
    })
    expect((await floor.save('all', { readers: readers(1) })).statusCode).toBe(200)
  })

  test('2,000 zones over all plans', async ({ catalog }) => {
    const [hall, bay, gate] = [await catalog.location(), await catalog.location(), await catalog.location()]
    await catalog.database.pool.query(
      `insert into floor_plan (org_id, place, zones, readers, version) select $1, $2,
         (select jsonb_agg(jsonb_build_object('location_id', $3::bigint, 'points', '[]'::jsonb)) from generate_series(1, $4::int)), '[]', 1`,
      [catalog.orgId, hall.id, bay.id, floorLimits.zones - 1],
    )
    const floor = floorOf(catalog)
    expect((await floor.save('all', { zones: [zone(bay)] })).statusCode).toBe(200)
    expect(errorOf(await floor.save('all', { zones: [zone(bay), zone(gate)], version: 1 }))).toMatchObject({
      type: 'conflict',
      detail: 'An organization can have at most 2000 zones on its floor plans. Remove some zones first.',
    })
  })
})

test("another organization's plans and locations look missing", async ({ catalog, otherOrg }) => {
  const [mine, theirs] = [floorOf(catalog), floorOf(catalog, { org: otherOrg })]
  const hall = await catalog.location({}, { org: otherOrg })
  await theirs.save(hall.id, { readers: [{ reader_id: 1, x: 1, y: 1 }] })
  await theirs.save('all')
  const before = await theirs.list()
  expect(before).toHaveLength(2)
  expect(await mine.list()).toEqual([])
  expect((await mine.save(hall.id, { version: 1 })).statusCode).toBe(404)
  expect((await mine.save('all')).json().data.version).toBe(1)
  expect(await theirs.list()).toEqual(before)
})
