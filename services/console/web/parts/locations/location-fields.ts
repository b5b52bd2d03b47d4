import type { components } from '@whereabouts/client/client'
import { end, flag, instant, key, locationId, longText, text } from '../form/field-kinds.tsx'
import { type Fields, isAfterStart } from '../form/fields.ts'

export type Location = components['schemas']['Location']
/** Tags have their own card. The form uses the id of the parent. */
type Key = Exclude<keyof components['schemas']['LocationCreate'], 'tags' | 'parent_external_key'>

/** The fields of a location in forms, tables and imports. A new field needs only an entry here. */
export const LOCATION_FIELDS: Fields<Location, Key> = {
  external_key: {
    label: 'External key',
    kind: key,
    help: 'Letters, digits and hyphens. Leave empty to get the next number, for example LOC-001.',
    isCreateOnly: true,
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
  parent_id: {
    label: 'Parent location',
    kind: locationId,
    help: 'Leave empty for the top level.',
    isShownElsewhere: true,
    importColumn: {
      name: 'parent_external_key',
      help: 'Key of the parent location, which must exist or be above in the file. An empty cell means the top level.',
    },
  },
  is_active: { label: 'Active', kind: flag },
  valid_from: { label: 'Valid from', kind: instant, isHalf: true },
  valid_to: { label: 'Valid to', kind: end, isHalf: true, check: isAfterStart },
}
