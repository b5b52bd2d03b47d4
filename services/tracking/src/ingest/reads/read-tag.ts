import { beaconText } from '@whereabouts/contracts/resources/catalog/beacons'
import type { NeutralRead } from '../../formats/decoder.ts'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { KnownTag } from '../../catalog/tag-owners.ts'

export type Tag = { tag_type: string; value: string }

/** The address first, then the iBeacon identity, under which a tag with a rotating address is registered (D6.5). */
function tagsOf(read: NeutralRead): Tag[] {
  const tag = { tag_type: read.tag_type, value: read.tag_value }
  const beacon = read.extra?.ibeacon
  if (!beacon) return [tag]
  return [tag, { tag_type: 'ble', value: beaconText(beacon) }]
}

/**
 * The tag of the first identity that something has, as of an instant; otherwise of the first one that is known. Null:
 * nothing had it then. Undefined: not known.
 */
export function findTag(
  view: CatalogView,
  orgId: number,
  read: NeutralRead,
  asOfMs: number,
): KnownTag | null | undefined {
  if (!read.extra?.ibeacon) return view.findTag(orgId, read.tag_type, read.tag_value, asOfMs)
  let first: KnownTag | null | undefined
  for (const { tag_type, value } of tagsOf(read)) {
    const tag = view.findTag(orgId, tag_type, value, asOfMs)
    const asset = view.assetOfTag(tag)
    if (asset || (asset === null && tag?.untilMs === Infinity)) return tag
    if (asset !== undefined && first === undefined) first = tag
  }
  return first
}

/** The identities of which catalog may know more than the view: nothing has them now, as far as the view knows. */
export const tagsToAsk = (view: CatalogView, orgId: number, read: NeutralRead): Tag[] =>
  tagsOf(read).filter(({ tag_type, value }) => view.matchTag(orgId, tag_type, value) === undefined)
