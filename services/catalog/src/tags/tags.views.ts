import { withEpc, type TagView } from '@whereabouts/contracts/resources/catalog/tags'

export const toTagView = ({ id, tag_type, value }: TagView): TagView => withEpc({ id, tag_type, value })
