import type { components } from '@whereabouts/client/client'
import type { Asset } from '../../assets/asset-fields.ts'

type Item = components['schemas']['AssetBatchItem']

/** As typed. An empty choice leaves the field of each asset as it is. */
export type Draft = { type: string; active: string; name: string; value: string }
export const EMPTY: Draft = { type: '', active: '', name: '', value: '' }

const TYPES: readonly string[] = ['asset', 'person', 'inventory'] satisfies Item['type'][]
const isType = (text: string): text is NonNullable<Item['type']> => TYPES.includes(text)

/** What the batch sends for one asset: its key, and the chosen fields. Metadata has one value more or another one. */
export function editOf(asset: Asset, { type, active, name, value }: Draft): Item {
  return {
    external_key: asset.external_key,
    ...(isType(type) && { type }),
    ...(active !== '' && { is_active: active === 'true' }),
    ...(name.trim() !== '' && { metadata: metadataWith(asset, name.trim(), value.trim()) }),
  }
}

/** What the batch sends to take `edit` back: the fields that it has, as they were. */
export function undoOf(asset: Asset, edit: Item): Item {
  const names = Object.keys(edit) as (keyof Item)[]
  return Object.fromEntries(names.map((name) => [name, asset[name as keyof Asset]])) as Item
}

function metadataWith({ metadata }: Asset, name: string, value: string) {
  const { [name]: _before, ...others } = (metadata ?? {}) as Record<string, unknown>
  return value === '' ? others : { ...others, [name]: value }
}

export const isEmpty = (draft: Draft): boolean =>
  draft.type === '' && draft.active === '' && draft.name.trim() === ''
