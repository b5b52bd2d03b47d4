import { TagState } from '@whereabouts/contracts/messages/catalog-state'
import { pick } from '@whereabouts/contracts/rules/fields'
import { withEpc, type TagView } from '@whereabouts/contracts/resources/catalog/tags'
import type { TagRow } from '../db.ts'

export const toTagView = ({ id, tag_type, value }: TagView): TagView => withEpc({ id, tag_type, value })

const stateNames = TagState.keyof().options
export const toTagState = (row: TagRow): TagState => pick(row, stateNames)
