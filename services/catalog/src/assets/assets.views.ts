import { assetFields, type AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { namesWith, pick } from '@whereabouts/contracts/rules/fields'
import type { TagView } from '@whereabouts/contracts/resources/catalog/tags'
import type { AssetWithHome } from '../db.ts'
import { toTagView } from '../tags/tags.views.ts'

const shown = namesWith(assetFields, 'view').filter((name) => name !== 'tags')

export const toAssetView = (row: AssetWithHome, tags: readonly TagView[]): AssetView => ({
  ...pick(row, shown),
  tags: tags.map(toTagView),
})
