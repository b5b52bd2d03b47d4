import { assetTypeOf } from './asset-types.ts'
import { Icon } from '../page/icon.tsx'

/** The type of an asset, to be recognized by eye. Where it is not beside, its name must be said in words, too. */
export function AssetTypeIcon({ type }: { type: string }) {
  const { icon, color } = assetTypeOf(type)
  return <Icon of={icon} color={`var(${color})`} className="type-icon" />
}
