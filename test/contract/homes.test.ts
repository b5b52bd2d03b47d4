import type { Scope } from '@whereabouts/contracts/route'
import { describe, expect } from 'vitest'
import { test } from './support/fixtures.ts'
import { scannedJourney } from './support/journey.ts'
import { codesOf } from './support/resources.ts'

const LATE = { timeout: 10_000, interval: 100 }

describe('D21.1 homes', () => {
  test('lists and the report tell apart what is at home or below it and what is not', async ({ api }) => {
    const { token, asset, other, hall, dock, shelf } = await scannedJourney(api)
    const lists = ['listAssets', 'listAssetLocations'] as const
    const ids = async (query: object) =>
      Promise.all(
        lists.map(async (operationId) => {
          const { data } = (await api.call(operationId, { token, query: { ...query } })).body
          return data.map((row) => ('asset_id' in row ? row.asset_id : row.id))
        }),
      )
    const rows = async () =>
      Promise.all(
        lists.map(async (operationId) => {
          const query = { expand: 'home', home_location_id: [hall.id, dock.id] }
          return (await api.call(operationId, { token, query })).body.data
        }),
      )
    const move = (id: number, home_location_id: number | null) =>
      api.call('updateAsset', { token, params: { asset_id: id }, body: { home_location_id } })
    const thing = ({ id, external_key, name }: typeof hall) => ({ id, external_key, name })

    expect((await move(asset.id, hall.id)).status).toBe(200) // it has no location
    for (const [home, isHome] of [
      [hall, true],
      [dock, false],
      [hall, true],
    ] as const) {
      expect((await move(other.id, home.id)).body.data).toMatchObject({
        home_location_external_key: home.external_key,
      })
      const found = [[other.id], [other.id]]
      await expect.poll(() => ids({ misplaced: !isHome }), LATE).toEqual(found)
      expect(await ids({ misplaced: isHome })).toEqual([[], []])
      for (const list of await rows()) {
        const [of, lost] = [other.id, asset.id].map((id) =>
          list.find((row) => ('asset_id' in row ? row.asset_id : row.id) === id),
        )
        expect(of).toMatchObject({ home_location: thing(home), is_home: isHome })
        expect(lost).toMatchObject({ home_location: thing(hall), is_home: null })
      }
    }
    await api.call('deleteLocation', { token, params: { location_id: shelf.id } })
    await expect.poll(() => ids({ misplaced: false }), LATE).toEqual([[], []])
    expect(await ids({ misplaced: true })).toEqual([[], []])
  })

  test('D21.4 where assets are takes the scope scans:read or tracking:read besides', async ({ api, org }) => {
    const keys = (...scopes: Scope[]) => org.key({ scopes: ['assets:read', ...scopes] })
    const own = await keys()
    for (const query of [{ misplaced: true }, { misplaced: false }, { expand: 'home' }]) {
      const refused = await api.call('listAssets', { token: own.token, query })
      expect(refused.status).toBe(403)
      expect(refused.body.error.detail).toBe('Missing required scope: scans:read')
      for (const scope of ['scans:read', 'tracking:read'] as const)
        expect((await api.call('listAssets', { token: (await keys(scope)).token, query })).status).toBe(200)
    }
    const query = { home_location_id: 5 }
    expect((await api.call('listAssets', { token: own.token, query })).status).toBe(200)
    const file = await api.call('exportAssets', { token: org.admin, query: 'misplaced=true' })
    expect(codesOf(file)).toEqual(['misplaced unknown_field'])
  })
})
