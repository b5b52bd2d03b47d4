import type { components } from '@whereabouts/client/client'
import type { PickedLocation } from '../../../parts/locations/location-picker.tsx'
import type { KnownAssetType } from '../../../parts/things/known.ts'
import type { SentType } from './event-types.ts'

export type Webhook = components['schemas']['Webhook']

/** What a person enters. Values of a newer API stay as they are. */
export type Settings = {
  url: string
  types: readonly string[]
  retry: string
  assetTypes: readonly string[]
  locations: readonly PickedLocation[]
  includesInside: boolean
}

export const NEW_WEBHOOK: Settings = {
  url: '',
  types: ['asset.moved'],
  retry: 'standard',
  assetTypes: [],
  locations: [],
  includesInside: true,
}

/** `locations`: those of the filter, as they are called now. */
export const settingsOf = (webhook: Webhook, locations: readonly PickedLocation[]): Settings => ({
  url: webhook.url,
  types: webhook.event_types,
  retry: webhook.retry,
  assetTypes: webhook.filter?.asset_types ?? [],
  locations,
  includesInside: webhook.filter?.include_descendants ?? true,
})

/** The settings as the API takes them. */
export function bodyOf({ url, types, retry, assetTypes, locations, includesInside }: Settings) {
  const isFiltered = assetTypes.length > 0 || locations.length > 0
  return {
    url: url.trim(),
    event_types: [...types] as SentType[],
    retry: retry as 'standard' | 'extended',
    filter: isFiltered
      ? {
          asset_types: [...assetTypes] as KnownAssetType[],
          location_ids: locations.map(({ id }) => id),
          include_descendants: includesInside,
        }
      : null,
  }
}

/** Only what a person changed, so that the change of another tab stays. */
export function changesOf(before: Settings, after: Settings): Partial<ReturnType<typeof bodyOf>> {
  const [old, next] = [bodyOf(before), bodyOf(after)]
  const changed = Object.entries(next).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(old[key as keyof typeof old]),
  )
  return Object.fromEntries(changed)
}
