import { MAX_IMAGE_BYTES } from '@whereabouts/contracts/resources/catalog/floor-plans'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'
import { floorOf } from '../../../test/floor.fixture.ts'
import { jpeg, png, svg, webp } from '../../../test/images.fixture.ts'

/** The hashes in the database. */
const stored = async ({ database, orgId }: Catalog): Promise<string[]> => {
  const rows = await database.db
    .selectFrom('floor_image')
    .select('hash')
    .where('org_id', '=', orgId)
    .execute()
  return rows.map(({ hash }) => hash)
}

test.for([
  ['image/png', png(40, 30), 'png'],
  ['image/jpeg', jpeg(40, 30), 'jpg'],
  ['image/webp', webp.lossy(40, 30), 'webp'],
  ['image/svg+xml', svg('viewBox="0 0 40 30"'), 'svg'],
] as const)('an image of type %s is saved and returned', async ([type, bytes, extension], { catalog }) => {
  const floor = floorOf(catalog)
  const saved = await floor.draw('all', bytes, type)
  expect(saved.statusCode).toBe(200)
  const plan = saved.json().data
  expect(plan).toMatchObject({ place: 'all', zones: [], readers: [], version: 1 })
  expect(plan.image).toEqual({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    media_type: type,
    width: 40,
    height: 30,
  })
  expect(await floor.list()).toEqual([plan])
  const image = await floor.image(plan.image.hash)
  expect(image.rawPayload).toEqual(bytes)
  expect(image.headers).toMatchObject({
    'content-type': type,
    'content-length': String(bytes.length),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'content-disposition': `inline; filename="floor-plan.${extension}"`,
  })
})

test('an image is replaced, removed and kept while another plan shows it', async ({ catalog }) => {
  const floor = floorOf(catalog)
  const hall = await catalog.location()
  const hashOf = async (res: ReturnType<typeof floor.draw>) => (await res).json().data.image.hash as string
  const first = await hashOf(floor.draw('all', png(1, 1)))
  expect(await hashOf(floor.draw(hall.id, png(1, 1)))).toBe(first)
  const second = await hashOf(floor.draw('all', png(2, 2)))
  expect((await stored(catalog)).toSorted()).toEqual([first, second].toSorted())
  const erased = (await floor.erase(hall.id)).json().data
  expect(erased).toMatchObject({ place: String(hall.id), image: null, version: 2 })
  expect(await stored(catalog)).toEqual([second])
  expect((await floor.image(first)).statusCode).toBe(404)
  expect((await floor.erase(hall.id)).statusCode).toBe(200)
})

test('an image changes the version, because it changes what zones mean', async ({ catalog }) => {
  const floor = floorOf(catalog)
  await floor.save('all')
  const readers = [{ reader_id: 1, x: 1, y: 1 }]
  expect((await floor.draw('all', png(1, 1))).json().data.version).toBe(2)
  expect((await floor.save('all', { readers, version: 1 })).statusCode).toBe(409)
  expect((await floor.save('all', { readers, version: 2 })).json().data).toMatchObject({
    image: { width: 1 },
    version: 3,
  })
  expect((await floor.draw('all', png(2, 2))).json().data).toMatchObject({ readers, version: 4 })
})

test('an image is not changed on another version than the one that was read', async ({ catalog }) => {
  const floor = floorOf(catalog)
  const draw = (size: number, version: number) =>
    floor.draw('all', png(size, size), 'image/png', `?version=${version}`)
  expect((await draw(1, 1)).statusCode).toBe(409)
  expect((await draw(1, 0)).json().data).toMatchObject({ version: 1, image: { width: 1 } })
  expect((await draw(2, 0)).json().error).toMatchObject({ type: 'conflict' })
  expect((await floor.erase('all', '?version=2')).statusCode).toBe(409)
  expect((await floor.list())[0]).toMatchObject({ version: 1, image: { width: 1 } })
  expect((await floor.erase('all', '?version=1')).json().data).toMatchObject({ version: 2, image: null })
  expect((await draw(3, -1)).statusCode).toBe(400)
})

test('there is no image to remove without a plan', async ({ catalog }) => {
  expect((await floorOf(catalog).erase('all')).statusCode).toBe(404)
  expect(await floorOf(catalog).list()).toEqual([])
})

describe('a hostile image', () => {
  const page = Buffer.from('<html><script>alert(1)</script></html>')
  test.for([
    ['another type than announced', png(1, 1), 'image/svg+xml', 400],
    ['a page', page, 'image/svg+xml', 400],
    ['nothing', Buffer.alloc(0), 'image/png', 400],
    ['too many pixels', png(8_001, 1), 'image/png', 400],
    ['another media type', page, 'text/html', 415],
    ['too many bytes', Buffer.concat([png(1, 1), Buffer.alloc(MAX_IMAGE_BYTES)]), 'image/png', 413],
  ] as const)('%s is refused and stores nothing', async ([, bytes, type, status], { catalog }) => {
    const res = await floorOf(catalog).draw('all', bytes, type)
    expect(res.statusCode).toBe(status)
    if (status === 400)
      expect(res.json().error.fields).toMatchObject([{ field: 'image', code: 'invalid_value' }])
    expect(await floorOf(catalog).list()).toEqual([])
    expect(await stored(catalog)).toEqual([])
  })
})

test('images may have 100 MiB together, and those of deleted locations make room', async ({ catalog }) => {
  const floor = floorOf(catalog)
  const hall = await catalog.location()
  await catalog.database.pool.query(
    `with made as (insert into floor_image (org_id, hash, media_type, width, height, bytes)
       values ($1, 'large', 'image/png', 1, 1, convert_to(repeat('x', $3::int), 'UTF8')) returning hash)
     insert into floor_plan (org_id, place, zones, readers, image_hash, version) select $1, $2, '[]', '[]', hash, 1 from made`,
    [catalog.orgId, hall.id, 100 * 2 ** 20 - png(1, 1).length],
  )
  expect((await floor.draw('all', svg('viewBox="0 0 40 30"'), 'image/svg+xml')).json().error).toMatchObject({
    type: 'conflict',
    detail: expect.stringMatching(/^This organization may store 104857600 \(limit image_bytes\)/),
  })
  expect(await floor.list()).toHaveLength(1)
  expect((await floor.draw('all', png(1, 1))).statusCode).toBe(200)
  await catalog.delete(`/locations/${hall.id}`)
  expect((await floor.draw('all', png(1, 2))).statusCode).toBe(200)
  expect(await stored(catalog)).toContain('large')
  expect((await floor.draw('all', svg('viewBox="0 0 40 30"'), 'image/svg+xml')).statusCode).toBe(200)
  expect(await stored(catalog)).toHaveLength(1)
})

test("another organization's image looks missing", async ({ catalog, otherOrg }) => {
  const [mine, theirs] = [floorOf(catalog), floorOf(catalog, { org: otherOrg })]
  const hall = await catalog.location({}, { org: otherOrg })
  const { hash } = (await theirs.draw(hall.id, png(40, 30))).json().data.image
  expect((await mine.image(hash)).statusCode).toBe(404)
  expect((await mine.draw(hall.id, png(1, 1))).statusCode).toBe(404)
  expect((await mine.erase(hall.id)).statusCode).toBe(404)
  expect((await mine.image('0'.repeat(64))).statusCode).toBe(404)
  expect((await mine.image('x')).statusCode).toBe(400)
  expect((await theirs.image(hash)).statusCode).toBe(200)
  await mine.draw('all', png(40, 30))
  await mine.erase('all')
  expect((await theirs.image(hash)).statusCode).toBe(200)
})
