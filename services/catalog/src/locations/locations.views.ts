import { namesWith, pick } from '@whereabouts/contracts/rules/fields'
import { locationFields, type LocationView } from '@whereabouts/contracts/resources/catalog/locations'
import type { TagView } from '@whereabouts/contracts/resources/catalog/tags'
import { toTagView } from '../tags/tags.views.ts'
import type { LocationWithParent } from './locations.queries.ts'

const shown = [...namesWith(locationFields, 'column'), 'parent_external_key'] as const

export const toLocationView = (row: LocationWithParent, tags: readonly TagView[]): LocationView => ({
  ...pick(row, shown),
  tags: tags.map(toTagView),
})
