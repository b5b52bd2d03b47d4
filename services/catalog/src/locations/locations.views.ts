import { namesWith, pick } from '@whereabouts/contracts/rules/fields'
import { locationFields, type LocationView } from '@whereabouts/contracts/resources/catalog/locations'
import { LocationState } from '@whereabouts/contracts/messages/catalog-state'
import type { TagView } from '@whereabouts/contracts/resources/catalog/tags'
import type { LocationRow } from '../db.ts'
import { toTagView } from '../tags/tags.views.ts'
import type { LocationWithParent } from './locations.queries.ts'

const shown = [...namesWith(locationFields, 'column'), 'parent_external_key'] as const
const stateNames = LocationState.keyof().options

export const toLocationView = (row: LocationWithParent, tags: readonly TagView[]): LocationView => ({
  ...pick(row, shown),
  tags: tags.map(toTagView),
})

export const toLocationState = (row: LocationRow): LocationState => pick(row, stateNames)
