import { useQuery } from '@tanstack/react-query'
import { unwrap, type components } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'

type Schemas = components['schemas']
export type Holder = Schemas['Holder']
export type TagToRestore = Schemas['TagToRestore']
export type LostTag = Schemas['LostTag']
export type ParentToRestore = Schemas['ParentToRestore']

export async function restoreAsset(id: number, body: Schemas['AssetRestore'] = {}) {
  const params = { path: { asset_id: id } }
  return unwrap(await api.POST('/api/v1/assets/{asset_id}/restore', { params, body }))
}

export async function restoreLocation(id: number, body: Schemas['LocationRestore'] = {}) {
  const params = { path: { location_id: id } }
  return unwrap(await api.POST('/api/v1/locations/{location_id}/restore', { params, body }))
}

export const useAssetPreview = (id: number) =>
  useQuery({
    queryKey: ['asset', id, 'restore'],
    queryFn: async ({ signal }) => {
      const params = { path: { asset_id: id } }
      return unwrap(await api.GET('/api/v1/assets/{asset_id}/restore', { params, signal })).data
    },
  })

export const useLocationPreview = (id: number) =>
  useQuery({
    queryKey: ['location', id, 'restore'],
    queryFn: async ({ signal }) => {
      const params = { path: { location_id: id } }
      return unwrap(await api.GET('/api/v1/locations/{location_id}/restore', { params, signal })).data
    },
  })

/** Prefixes of the query keys that a restored asset or location changes. */
export const reloadedAsset = (id: number) => [['asset', id], ['assets'], ['report'], ['occupancy']] as const
export const reloadedLocation = [['location'], ['locations'], ['report'], ['occupancy'], ['assets']] as const
