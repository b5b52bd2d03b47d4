import type { Reply, Api, CallOptions } from './api.ts'
import { succeed } from './organization.ts'

/** Assets and locations, for rules that apply to both. */
export const kinds = ['asset', 'location'] as const
export type Kind = (typeof kinds)[number]

const operations = {
  asset: {
    create: 'createAsset',
    get: 'getAsset',
    list: 'listAssets',
    patch: 'updateAsset',
    rename: 'renameAsset',
    remove: 'deleteAsset',
    attach: 'addAssetTag',
    detach: 'removeAssetTag',
  },
  location: {
    create: 'createLocation',
    get: 'getLocation',
    list: 'listLocations',
    patch: 'updateLocation',
    rename: 'renameLocation',
    remove: 'deleteLocation',
    attach: 'addLocationTag',
    detach: 'removeLocationTag',
  },
} as const

/** The operations of one kind, as one caller. `make` and `read` throw unless they succeed. */
export function resourcesOf(api: Api, token: string, kind: Kind) {
  const of = operations[kind]
  const at = (id: number) => ({ token, params: { asset_id: id, location_id: id } })
  const create = (body: object = {}) => api.call(of.create, { token, body: { name: 'Thing', ...body } })
  const get = (id: number) => api.call(of.get, at(id))
  return {
    create,
    get,
    make: async (body: object = {}) => (await succeed(create(body))).body.data,
    read: async (id: number) => (await succeed(get(id))).body.data,
    patch: (id: number, body: object | string) => api.call(of.patch, { ...at(id), body }),
    rename: (id: number, external_key: unknown) => api.call(of.rename, { ...at(id), body: { external_key } }),
    remove: (id: number) => api.call(of.remove, at(id)),
    list: (query: CallOptions['query'] = {}) => api.call(of.list, { token, query }),
    attach: (id: number, body: object) => api.call(of.attach, { ...at(id), body }),
    detach: (id: number, tagId: number) =>
      api.call(of.detach, { token, params: { asset_id: id, location_id: id, tag_id: tagId } }),
  }
}

/** The entries of a refusal as `field code`. */
export const codesOf = ({ body }: Pick<Reply, 'body'>): string[] =>
  (body.error?.fields ?? []).map(({ field, code }) => `${field} ${code}`)
