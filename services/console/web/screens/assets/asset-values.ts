import type { components } from '@whereabouts/client/client'
import type { FieldMessages } from '../../parts/failure.ts'
import { fromLocalInput, toLocalInput } from '../../parts/local-time.ts'

export type Asset = components['schemas']['Asset']
export type NewTag = components['schemas']['TagCreate']
export type AssetType = NonNullable<components['schemas']['AssetCreate']['type']>
type Create = components['schemas']['AssetCreate']
type Patch = components['schemas']['AssetPatch']

/**
 * What the inputs hold. Instants are as `datetime-local` has them: to the minute, so one that nobody touched is not sent,
 * or its seconds would be cut off.
 */
export type AssetValues = {
  name: string
  description: string
  type: AssetType
  is_active: boolean
  valid_from: string
  valid_to: string
  metadata: string
}

/** What to send, or what has to be mended before anything is sent. */
export type Ready<T> = { body: T } | { problems: FieldMessages }

export const ASSET_TYPES: readonly { value: AssetType; label: string }[] = [
  { value: 'asset', label: 'Asset' },
  { value: 'person', label: 'Person' },
  { value: 'inventory', label: 'Inventory' },
]

export const EMPTY: AssetValues = {
  name: '',
  description: '',
  type: 'asset',
  is_active: true,
  valid_from: '',
  valid_to: '',
  metadata: '',
}

export const valuesOf = (asset: Asset): AssetValues => ({
  name: asset.name,
  description: asset.description ?? '',
  type: ASSET_TYPES.find(({ value }) => value === asset.type)?.value ?? 'asset',
  is_active: asset.is_active,
  valid_from: toLocalInput(asset.valid_from),
  valid_to: toLocalInput(asset.valid_to),
  metadata: Object.keys(asset.metadata).length === 0 ? '' : JSON.stringify(asset.metadata, null, 2),
})

/** What is empty is left out: the API has its defaults. A row without a value is no tag. */
export function createBody(values: AssetValues, externalKey: string, tags: readonly NewTag[]): Ready<Create> {
  const metadata = readMetadata(values.metadata)
  if (!metadata) return { problems: { metadata: NO_OBJECT } }
  const given = tags.filter(({ value }) => value !== '')
  const [validFrom, validTo] = [fromLocalInput(values.valid_from), fromLocalInput(values.valid_to)]
  const body = {
    name: values.name,
    type: values.type,
    is_active: values.is_active,
    ...(externalKey !== '' && { external_key: externalKey }),
    ...(values.description !== '' && { description: values.description }),
    ...(validFrom !== null && { valid_from: validFrom }),
    ...(validTo !== null && { valid_to: validTo }),
    ...(values.metadata.trim() !== '' && { metadata }),
    ...(given.length > 0 && { tags: given }),
  }
  return { body }
}

/** Only what was changed, so that what somebody else changed meanwhile stays. What was emptied is cleared by null. */
export function patchBody(before: AssetValues, after: AssetValues): Ready<Patch> {
  const isChanged = (field: keyof AssetValues) => before[field] !== after[field]
  const metadata = readMetadata(after.metadata)
  if (isChanged('metadata') && !metadata) return { problems: { metadata: NO_OBJECT } }
  const validFrom = fromLocalInput(after.valid_from)
  if (isChanged('valid_from') && validFrom === null)
    return { problems: { valid_from: 'Say from when on the asset is valid' } }
  const body = {
    ...(isChanged('name') && { name: after.name }),
    ...(isChanged('description') && { description: after.description === '' ? null : after.description }),
    ...(isChanged('type') && { type: after.type }),
    ...(isChanged('is_active') && { is_active: after.is_active }),
    ...(isChanged('valid_from') && validFrom !== null && { valid_from: validFrom }),
    ...(isChanged('valid_to') && { valid_to: fromLocalInput(after.valid_to) }),
    ...(isChanged('metadata') && { metadata }),
  }
  return { body }
}

const NO_OBJECT = 'Metadata must be a JSON object, like {"maker": "Linde"}'

function readMetadata(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // half of an object is what one has while typing: the person is told
  }
}
