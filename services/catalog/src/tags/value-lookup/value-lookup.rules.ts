import type { LookupMatch, LookupRow } from '@whereabouts/contracts/resources/catalog/lookup'
import { withEpc } from '@whereabouts/contracts/resources/catalog/tags'

export type Keyed = { id: number; external_key: string; name: string }

/** A tag that matches a value, with its owner. */
export type TagMatch = Keyed & {
  /** Index of the value. */
  position: number
  type: 'asset' | 'location'
  tag_type: string
  value: string
}

type Found = { assets: readonly Keyed[]; locations: readonly Keyed[]; tags: readonly TagMatch[] }

/**
 * What each value names. External keys come first, assets before locations, then tags in the given order. A thing that
 * a value names twice, such as by its key and by a tag, is there once: by its key.
 */
export function rowsOf(values: readonly string[], { assets, locations, tags }: Found): LookupRow[] {
  const keyed = [...assets.map(byKey('asset')), ...locations.map(byKey('location'))]
  const byValue = Map.groupBy(keyed, ({ external_key }) => external_key)
  const byPosition = Map.groupBy(tags, ({ position }) => position)
  return values.map((value, position) => ({
    value,
    matches: onceEach([...(byValue.get(value) ?? []), ...(byPosition.get(position) ?? []).map(byTag)]),
  }))
}

const byKey =
  (type: LookupMatch['type']) =>
  ({ id, external_key, name }: Keyed): LookupMatch => ({ type, id, external_key, name, tag: null })

const byTag = ({ type, id, external_key, name, tag_type, value }: TagMatch): LookupMatch => ({
  type,
  id,
  external_key,
  name,
  tag: withEpc({ tag_type, value }),
})

/** Ids are unique over all types of resources. At most five matches: two keys and a tag of each type. */
const onceEach = (matches: readonly LookupMatch[]): LookupMatch[] =>
  matches.filter(({ id }, i) => matches.findIndex((match) => match.id === id) === i)
