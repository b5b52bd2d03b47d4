import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'

/** The hall is the home of three assets: one is on its shelf, one at the dock, one was not seen. A fourth has no home. */
async function scene(catalog: Catalog) {
  const hall = await catalog.location({ external_key: 'HALL', name: 'Hall' })
  const shelf = await catalog.location({ external_key: 'SHELF', parent_id: hall.id })
  const dock = await catalog.location({ external_key: 'DOCK' })
  const home = { home_location_id: hall.id }
  const [inside, away, unseen] = [
    await catalog.asset({ external_key: 'INSIDE', ...home }),
    await catalog.asset({ external_key: 'AWAY', ...home }),
    await catalog.asset({ external_key: 'UNSEEN', ...home }),
  ]
  const roaming = await catalog.asset({ external_key: 'ROAMING' })
  const { tracking, orgId } = catalog
  tracking.see(orgId, inside.id, shelf.id)
  tracking.see(orgId, away.id, dock.id)
  tracking.see(orgId, roaming.id, dock.id)
  return { hall, shelf, dock, inside, away, unseen, roaming }
}

const list = async (catalog: Catalog, query: string, as = {}) => {
  const reply = await catalog.get(`/assets?${query}`, as)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ data: (AssetView & { is_home: boolean | null })[]; total_count: number }>()
}
const keysOf = async (catalog: Catalog, query: string) => {
  const { data, total_count } = await list(catalog, query)
  return [data.map((row) => row.external_key), total_count]
}
const homesOf = async (catalog: Catalog) => {
  const { data } = await list(catalog, 'expand=home&sort=external_key')
  return Object.fromEntries(data.map(({ external_key, is_home }) => [external_key, is_home]))
}

describe('D21.1 the list of assets by whether they are at home', () => {
  test('has those that tracking names, with the other filters, in pages', async ({ catalog, otherOrg }) => {
    const { hall, dock, inside, away } = await scene(catalog)
    const theirs = await catalog.asset({}, { org: otherOrg })
    const more = []
    for (const n of [1, 2, 3]) {
      const one = await catalog.asset({ external_key: `MORE-${n}`, home_location_id: hall.id })
      catalog.tracking.see(catalog.orgId, one.id, dock.id)
      more.push(one.id)
    }
    for (const id of [away.id, theirs.id, ...more]) catalog.tracking.misplacedIds.add(id)
    catalog.tracking.see(otherOrg, theirs.id, dock.id)
    const all = ['AWAY', 'MORE-1', 'MORE-2', 'MORE-3']
    expect(await keysOf(catalog, 'misplaced=true')).toEqual([all, 4])
    expect(await keysOf(catalog, 'misplaced=true&limit=2&offset=1')).toEqual([all.slice(1, 3), 4])
    expect(await keysOf(catalog, 'misplaced=true&q=more-2')).toEqual([['MORE-2'], 1])
    expect(await keysOf(catalog, `misplaced=true&home_location_id=${dock.id}`)).toEqual([[], 0])
    await catalog.delete(`/assets/${away.id}`)
    expect(await keysOf(catalog, 'misplaced=true')).toEqual([all.slice(1), 3])
    expect((await keysOf(catalog, 'misplaced=false'))[0]).toContain(inside.external_key)
  })

  test('expand=home shows the home of now: a moved branch, a rename and a deletion count at once', async ({
    catalog,
  }) => {
    const { hall, shelf, dock } = await scene(catalog)
    const { data } = await list(catalog, 'expand=home&q=inside')
    expect(data).toMatchObject([
      { home_location: { id: hall.id, external_key: 'HALL', name: 'Hall' }, is_home: true },
    ])
    const others = { ROAMING: null, UNSEEN: null }
    expect(await homesOf(catalog)).toEqual({ AWAY: false, INSIDE: true, ...others })
    for (const [place, parent_id, expected] of [
      [shelf, null, { AWAY: false, INSIDE: false }],
      [dock, hall.id, { AWAY: true, INSIDE: false }],
      [shelf, dock.id, { AWAY: true, INSIDE: true }],
    ] as const) {
      await catalog.patch(`/locations/${place.id}`, { parent_id })
      expect(await homesOf(catalog)).toEqual({ ...expected, ...others })
    }
    await catalog.post(`/locations/${hall.id}/rename`, { external_key: 'HALL-2' })
    expect((await list(catalog, 'expand=home&q=inside')).data).toMatchObject([
      { home_location: { external_key: 'HALL-2' }, is_home: true },
    ])
    await catalog.delete(`/locations/${shelf.id}`)
    expect(await homesOf(catalog)).toEqual({ AWAY: true, INSIDE: null, ...others })
    await catalog.patch(`/locations/${dock.id}`, { parent_id: null }) // what has sub-locations stays
    expect(await homesOf(catalog)).toEqual({ AWAY: false, INSIDE: null, ...others })
    expect((await catalog.delete(`/locations/${hall.id}`)).statusCode).toBe(204)
    expect(await homesOf(catalog)).toEqual({ AWAY: null, INSIDE: null, ...others })
    expect((await list(catalog, 'expand=home&q=away')).data).toMatchObject([{ home_location: null }])
  })

  test('needs a scope that reads scans, of keys alone', async ({ catalog }) => {
    await scene(catalog)
    for (const query of ['misplaced=true', 'misplaced=false', 'expand=home']) {
      const refused = await catalog.get(`/assets?${query}`, { scopes: ['assets:read'] })
      expect([refused.statusCode, refused.json().error.detail]).toEqual([
        403,
        'Missing required scope: scans:read',
      ])
      for (const scope of ['scans:read', 'tracking:read'])
        await list(catalog, query, { scopes: ['assets:read', scope] })
      await list(catalog, query)
    }
    await list(catalog, 'home_location_id=5', { scopes: ['assets:read'] })
  })

  test('is 503 while tracking is away, and only then', async ({ catalog }) => {
    await scene(catalog)
    catalog.tracking.away = true
    for (const query of ['misplaced=true', 'expand=home'])
      expect((await catalog.get(`/assets?${query}`)).statusCode).toBe(503)
    await list(catalog, 'home_location_id=5')
    catalog.tracking.away = false
    await list(catalog, 'misplaced=true')
  })

  test('is no filter of a file: an export that asks for it is refused and names it', async ({ catalog }) => {
    for (const query of ['misplaced=true', 'expand=home']) {
      const reply = await catalog.get(`/exports/assets?${query}`)
      expect([reply.statusCode, reply.json().error.fields]).toMatchObject([
        400,
        [{ field: query.split('=')[0], code: 'unknown_field' }],
      ])
    }
  })
})
