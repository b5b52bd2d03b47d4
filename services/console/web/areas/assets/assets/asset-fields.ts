import type { components } from '@whereabouts/client/client'
import {
  choice,
  end,
  flag,
  instant,
  key,
  locationId,
  longText,
  metadata,
  text,
} from '../../../parts/form/field-kinds.tsx'
import { type Fields, isAfterStart } from '../../../parts/form/fields.ts'

export type Asset = components['schemas']['Asset']
export type NewTag = components['schemas']['TagCreate']
type AssetCreate = components['schemas']['AssetCreate']
type AssetType = NonNullable<AssetCreate['type']>
/** Tags have their own inputs. A location comes from reads, never from a form. */
type Key = Exclude<
  keyof AssetCreate,
  'tags' | 'location_id' | 'location_external_key' | 'home_location_external_key'
>

export const ASSET_TYPES: readonly { value: AssetType; label: string }[] = [
  { value: 'asset', label: 'Thing' },
  { value: 'person', label: 'Person' },
  { value: 'inventory', label: 'Inventory' },
]

/** The fields of an asset in forms, tables and imports. A new field needs only an entry here. */
export const ASSET_FIELDS: Fields<Asset, Key> = {
  external_key: {
    label: 'External key',
    kind: key,
    help: 'Its ID in your other systems: letters, digits and hyphens. Leave empty to get the next number, for example ASSET-0001.',
    isCreateOnly: true,
    tableColumn: 'sortable',
    importColumn: { help: 'Used to match records: a row with an existing key updates that record.' },
  },
  name: {
    label: 'Name',
    kind: text,
    isRequired: true,
    isShownElsewhere: true,
    importColumn: { help: 'Required for new records.' },
  },
  description: { label: 'Description', kind: longText },
  type: { label: 'Type', kind: choice(ASSET_TYPES), isHalf: true, tableColumn: 'plain' },
  home_location_id: {
    label: 'Home',
    kind: locationId,
    help: 'Where it belongs.',
    isShownElsewhere: true,
    importColumn: {
      name: 'home_location_external_key',
      help: 'Key of a location. An empty cell means no home.',
    },
  },
  is_active: {
    label: 'Active',
    kind: flag,
    help: 'Your own mark. Lists show inactive assets, too.',
    isHalf: true,
  },
  valid_from: { label: 'Valid from', kind: instant, isHalf: true },
  valid_to: { label: 'Valid to', kind: end, isHalf: true, check: isAfterStart },
  metadata: { label: 'Metadata', kind: metadata, help: 'Your own data as a JSON object.' },
}
