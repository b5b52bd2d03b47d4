import { describe, expect } from 'vitest'
import { test as base } from './support/fixtures.ts'
import { scannedJourney } from './support/journey.ts'

const test = base.extend('journey', { scope: 'file' }, ({ api }) => scannedJourney(api))

describe('D21 visits', () => {
  test('D21.2 lists unbroken stays, newest first', async ({ api, journey: { token, asset, other, dock, shelf, at } }) => {
    const { body } = await api.call('listVisits', { token })
    expect(
      body.data.map(({ asset: { id }, location, started_at, ended_at, ended_by }) => [id, location.name, started_at, ended_at, ended_by]),
    ).toEqual([
      [asset.id, shelf.name, at(5), at(9), 'moved'],
      [other.id, shelf.name, at(3), null, null],
      [asset.id, dock.name, at(0), at(5), 'moved'],
    ])
    expect(body).toMatchObject({ cursor: null, has_more: false })
    expect(body.data[2]?.seconds).toBe(300)
  }) // oxfmt-ignore

  test('D21.2 stays below a named location are one visit', async ({ api, journey: { token, hall, asset, at } }) => {
    const query = { location_id: hall.id, asset_id: asset.id }
    expect((await api.call('listVisits', { token, query })).body.data).toEqual([])
    const merged = (await api.call('listVisits', { token, query: { ...query, include_descendants: true } })).body.data
    expect(merged).toMatchObject([{ location: { id: hall.id }, started_at: at(0), ended_at: at(9) }])
  }) // oxfmt-ignore

  test('D21.4 a cursor continues the list, and another organization cannot use it', async ({
    api,
    newOrg,
    journey: { token, at },
  }) => {
    const { cursor, has_more } = (await api.call('listVisits', { token, query: { limit: 1 } })).body
    expect(has_more).toBe(true)
    const rest = (await api.call('listVisits', { token, query: { after: cursor ?? '' } })).body
    expect(rest.data.map(({ started_at }) => started_at)).toEqual([at(3), at(0)])
    for (const [caller, after] of [[(await newOrg()).admin, cursor ?? ''], [token, 'garbage']] as const) {
      const refused = await api.call('listVisits', { token: caller, query: { after } })
      expect(refused.body.error.fields).toMatchObject([{ field: 'after', code: 'invalid_value' }])
    } // oxfmt-ignore
  })

  test('D21.3 the report adds up visits, also as CSV', async ({ api, journey: { token, dock, shelf } }) => {
    const query = { group_by: 'location', limit_seconds: 299 } as const
    const { body } = await api.call('reportVisits', { token, query })
    expect(body.total_count).toBe(2)
    expect(body.data.map(({ group, visits, assets, over_limit }) => [group.id, visits, assets, over_limit])).toContainEqual([dock.id, 1, 1, 1])
    expect(body.data.find(({ group }) => group.id === shelf.id)).toMatchObject({ visits: 2, assets: 2 })
    const csv = await api.call('reportVisits', { token, query, headers: { accept: 'text/csv' } })
    const columns = 'group.id,group.external_key,group.name,visits,assets,seconds_total,seconds_median,seconds_p95,over_limit'
    expect(csv.text.split('\r\n')[0]).toBe(`\uFEFF${columns}`)
    expect(csv.text).toContain(`${dock.id},${dock.external_key},${dock.name},1,1,300,300,300,1`)
  }) // oxfmt-ignore

  test('D21.4 a report of more than 92 days is refused', async ({ api, org }) => {
    const query = { group_by: 'day', from: '2026-01-01T00:00:00Z', to: '2026-04-03T00:00:00.001Z' } as const
    expect((await api.call('reportVisits', { token: org.admin, query })).body.error.fields).toMatchObject([
      { field: 'to', code: 'too_large', params: { max: '2026-04-03T00:00:00.000Z' } },
    ])
  })
})
