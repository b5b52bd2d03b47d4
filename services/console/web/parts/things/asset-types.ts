import type { TablerIcon } from '@tabler/icons-react'
import IconBox from '@tabler/icons-react/icons/IconBox'
import IconHelpHexagon from '@tabler/icons-react/icons/IconHelpHexagon'
import IconStack2 from '@tabler/icons-react/icons/IconStack2'
import IconUser from '@tabler/icons-react/icons/IconUser'
import { wordsFor, type KnownAssetType } from './known.ts'

type AssetType = { label: string; plural: string; color: string; icon: TablerIcon }

/** What the API calls `asset` is a thing. A later API may have more types. */
const TYPES: Readonly<Record<KnownAssetType, AssetType>> = {
  asset: { label: 'Thing', plural: 'Things', color: '--asset-thing', icon: IconBox },
  person: { label: 'Person', plural: 'People', color: '--asset-person', icon: IconUser },
  inventory: { label: 'Inventory', plural: 'Inventory', color: '--asset-inventory', icon: IconStack2 },
}

/** The known types, in the order in which they are shown. */
export const ASSET_TYPES: readonly string[] = Object.keys(TYPES)

const OTHER: AssetType = { label: 'Other', plural: 'Others', color: '--asset-other', icon: IconHelpHexagon }

export const assetTypeOf = (type: string): AssetType => wordsFor(TYPES, type) ?? OTHER
