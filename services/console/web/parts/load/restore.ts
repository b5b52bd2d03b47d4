import type { components } from '@whereabouts/client/client'
import { useRead } from './use-read.ts'
import { api } from '../../session/api.ts'

type Schemas = components['schemas']
export type Holder = Schemas['Holder']
export type TagToRestore = Schemas['TagToRestore']
export type LostTag = Schemas['LostTag']
export type ParentToRestore = Schemas['ParentToRestore']

export const restoreAsset = (id: number, body: Schemas['AssetRestore'] = {}) =>
  api.post('/api/v1/assets/{asset_id}/restore', { path: { asset_id: id }, body })

export const restoreLocation = (id: number, body: Schemas['LocationRestore'] = {}) =>
  api.post('/api/v1/locations/{location_id}/restore', { path: { location_id: id }, body })

export const useAssetPreview = (id: number) =>
  useRead(['asset', id, 'restore'], '/api/v1/assets/{asset_id}/restore', { path: { asset_id: id } })

export const useLocationPreview = (id: number) =>
  useRead(['location', id, 'restore'], '/api/v1/locations/{location_id}/restore', {
    path: { location_id: id },
  })

/** Prefixes of the query keys that a restored asset or location changes. */
export const reloadedAsset = (id: number) => [['asset', id], ['assets'], ['report'], ['occupancy']] as const
export const reloadedLocation = [['location'], ['locations'], ['report'], ['occupancy'], ['assets']] as const
