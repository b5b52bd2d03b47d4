import type { Api } from './api.ts'

/** Operations with one token, for tests that create several resources. */
export const catalogOf = (api: Api, token: string) => ({
  asset: async (body: object = {}) =>
    (await api.call('createAsset', { token, body: { name: 'Forklift', ...body } })).body.data,
  location: async (body: object = {}) =>
    (await api.call('createLocation', { token, body: { name: 'Dock', ...body } })).body.data,
  getAsset: (asset_id: number) => api.call('getAsset', { token, params: { asset_id } }),
  deleteAsset: (asset_id: number) => api.call('deleteAsset', { token, params: { asset_id } }),
  deleteLocation: (location_id: number) => api.call('deleteLocation', { token, params: { location_id } }),
})
