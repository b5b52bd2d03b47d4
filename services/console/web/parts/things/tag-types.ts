import type { components } from '@whereabouts/client/client'

export type TagType = components['schemas']['TagCreate']['tag_type']

const LABELS: Readonly<Record<TagType, string>> = { rfid: 'RFID', ble: 'Bluetooth', barcode: 'Barcode' }

export const TAG_TYPES = Object.keys(LABELS) as readonly TagType[]

export const TAG_TYPE_CHOICES = TAG_TYPES.map((value) => ({ value, label: LABELS[value] }))

/** A newer API may have more types. */
export const tagTypeLabel = (type: string): string => LABELS[type as TagType] ?? type

export const tagTypeOf = (text: string | null): TagType | undefined =>
  TAG_TYPES.find((known) => known === text)
