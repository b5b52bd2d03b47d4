import { describe, expect } from 'vitest'
import { test as base } from './support/fixtures.ts'
import { scannedJourney } from './support/journey.ts'

const test = base.extend('journey', { scope: 'file' }, ({ api }) => scannedJourney(api))

describe('D17.7 GET /movements', () => {
  test('D17.7 lists movements, newest first, with the time until the next one', async ({
    api,
    journey: { token, asset, other, dock, shelf, at },
  }) => {
    const named = ({ id, external_key, name }: Pick<typeof asset, 'id' | 'external_key' | 'name'>) => ({
      id,
      external_key,
      name,
    })
    const first = { from_location: null, dwell_seconds: null }
    expect((await api.call('listMovements', { token })).body).toEqual({
      data: [
        { occurred_at: at(5), asset: named(asset), from_location: named(dock), to_location: named(shelf), dwell_seconds: null },
        { ...first, occurred_at: at(3), asset: named(other), to_location: named(shelf) },
        { ...first, occurred_at: at(0), asset: named(asset), to_location: named(dock), dwell_seconds: 300 },
      ],
      cursor: null,
      has_more: false,
    }) // oxfmt-ignore
  })

  test('D17.7 a location matches either end, and sub-locations only if they are included', async ({
    api,
    journey: { org, asset, hall, dock, at },
  }) => {
    const read = async (query: object) =>
      (await api.call('listMovements', { token: org.admin, query: { ...query } })).body.data.map(
        ({ occurred_at }) => occurred_at,
      )
    expect(await read({ location_id: dock.id })).toEqual([at(5), at(0)])
    expect(await read({ location_id: hall.id })).toEqual([])
    expect(await read({ location_id: hall.id, include_descendants: true })).toEqual([at(5), at(3), at(0)])
    expect(await read({ asset_id: asset.id, to: at(0), include_descendants: true })).toEqual([at(0)])
    expect(await read({ from: at(3), to: at(5) })).toEqual([at(5), at(3)])
  })

  test('D17.7 a cursor continues the list, and another organization cannot use it', async ({
    api,
    newOrg,
    journey: { token, at },
  }) => {
    const { cursor, has_more } = (await api.call('listMovements', { token, query: { limit: 1 } })).body
    expect(has_more).toBe(true)
    const query = { limit: 500, after: cursor ?? '' }
    const rest = (await api.call('listMovements', { token, query })).body
    expect(rest.data.map(({ occurred_at }) => occurred_at)).toEqual([at(3), at(0)])
    for (const [caller, after] of [[(await newOrg()).admin, cursor ?? ''], [token, 'garbage'], [token, '']] as const) {
      const refused = await api.call('listMovements', { token: caller, query: { after } })
      expect(refused.status).toBe(400)
      expect(refused.body.error.fields).toMatchObject([{ field: 'after', code: 'invalid_value' }])
    } // oxfmt-ignore
    const tooMany = await api.call('listMovements', { token, query: { limit: 501 } })
    expect(tooMany.body.error.fields).toMatchObject([{ field: 'limit', code: 'too_large' }])
  })

  test.for([['tracking:read'], ['scans:read']] as const)(
    'D17.7 %s is enough',
    async ([scope], { api, newOrg }) => {
      const org = await newOrg()
      const { token } = await org.key({ scopes: [scope] })
      expect((await api.call('listMovements', { token })).status).toBe(200)
    },
  )
})
