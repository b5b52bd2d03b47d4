import { assetFields, type AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { namesWith, pick } from '@whereabouts/contracts/rules/fields'
import type { TagView } from '@whereabouts/contracts/resources/catalog/tags'
import type { AssetRow } from '../db.ts'
import { toTagView } from '../tags/tags.views.ts'

const columns = namesWith(assetFields, 'column')

export const toAssetView = (row: AssetRow, tags: readonly TagView[]): AssetView => ({
  ...pick(row, columns),
  tags: tags.map(toTagView),
})
