import { AssetState, LocationState, TagState } from '@whereabouts/contracts/messages/catalog-state'
import { pick } from '@whereabouts/contracts/rules/fields'
import type { AssetRow, LocationRow, TagRow } from '../../db.ts'

const ofAsset = AssetState.keyof().options
const ofLocation = LocationState.keyof().options
const ofTag = TagState.keyof().options

export const toAssetState = (row: AssetRow): AssetState => pick(row, ofAsset)
export const toLocationState = (row: LocationRow): LocationState => pick(row, ofLocation)
export const toTagState = (row: TagRow): TagState => pick(row, ofTag)
