import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { objectRule, type Problem } from '../../rules/object-rules.ts'
import { openEnum } from '../../rules/open-enum.ts'
import {
  dataOf,
  enumParameters,
  instantParameter,
  integerParameter,
  keysParameter,
  listOf,
  page,
  pathId,
  searchParameter,
  sortParameter,
} from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { tagFields, tagRule, TagView, tagTypes } from '../catalog/tags.ts'
import { NaturalKey } from '../../rules/text.ts'

/**
 * A tag that readers have read and that no asset or location has. `ibeacon` is the identity in a Bluetooth advert,
 * which one registers for a beacon that rotates its address. Reader, antenna and signal strength are those of the
 * last read.
 */
export const UnknownTagView = z
  .object({
    id: Id,
    tag_type: openEnum(tagTypes),
    value: z.string(),
    epc: TagView.shape.epc,
    ibeacon: z.string().nullable(),
    first_seen_at: WireInstant,
    last_seen_at: WireInstant,
    reads: z.int(),
    reader_key: z.string(),
    antenna: z.int(),
    rssi_dbm: z.number().nullable(),
  })
  .meta({ id: 'UnknownTag' })
export type UnknownTagView = z.infer<typeof UnknownTagView>

export const UnknownTagsQuery = z.strictObject({
  ...page,
  tag_type: enumParameters(tagTypes).optional(),
  reader_key: keysParameter.optional(),
  min_reads: integerParameter(0).optional(),
  seen_since: instantParameter.optional(),
  q: searchParameter.optional(),
  sort: sortParameter(['last_seen_at', 'first_seen_at', 'reads', 'value']).optional(),
})
export type UnknownTagsQuery = z.infer<typeof UnknownTagsQuery>

const assetFields = ['asset_id', 'asset_external_key'] as const
const locationFields = ['location_id', 'location_external_key'] as const

/** An asset or a location, named by id, by key, or by both if they agree. */
const oneOwner = <T>() =>
  objectRule<T>((sent): Problem[] => {
    const ofAsset = assetFields.find((field) => sent[field] !== undefined)
    const ofLocation = locationFields.find((field) => sent[field] !== undefined)
    if (ofAsset === undefined && ofLocation === undefined)
      return [{ field: 'asset_id', code: 'required', message: '{f} is required' }]
    if (ofAsset === undefined || ofLocation === undefined) return []
    const message = `${ofAsset} and ${ofLocation} cannot be used together`
    return [ofAsset, ofLocation].map((field) => ({ field, code: 'ambiguous_fields', message }))
  })

export const UnknownTagClaim = z
  .strictObject({
    ...tagFields,
    asset_id: Id.optional(),
    asset_external_key: NaturalKey.optional(),
    location_id: Id.optional(),
    location_external_key: NaturalKey.optional(),
  })
  .check(tagRule(({ tag_type }) => tag_type))
  .check(oneOwner())
  .meta({ id: 'UnknownTagClaim' })
export type UnknownTagClaim = z.infer<typeof UnknownTagClaim>

/** The tag with its new owner: an asset or a location. */
export const ClaimedTagView = z
  .object({
    ...TagView.shape,
    asset_id: Id.nullable(),
    asset_external_key: z.string().nullable(),
    location_id: Id.nullable(),
    location_external_key: z.string().nullable(),
  })
  .meta({ id: 'ClaimedTag' })
export type ClaimedTagView = z.infer<typeof ClaimedTagView>

const forUsers = { upstream: 'tracking', access: 'session', counted: false, described: false } as const

export const unknownTagRoutes = {
  listUnknownTags: {
    method: 'GET',
    path: '/unknown-tags',
    ...forUsers,
    summary: 'List unknown tags',
    description: 'Returns tags that readers read and that no asset or location has.',
    query: UnknownTagsQuery,
    success: { status: 200, schema: listOf(UnknownTagView) },
    errors: ['validation_error'],
  },
  claimUnknownTag: {
    method: 'POST',
    path: '/unknown-tags/claim',
    ...forUsers,
    summary: 'Assign an unknown tag to an asset or a location',
    description:
      'Idempotent: if the owner already has the tag, the response is the same as for a new assignment.',
    body: UnknownTagClaim,
    success: { status: 200, schema: dataOf(ClaimedTagView) },
    errors: ['validation_error', 'bad_request', 'conflict'],
  },
  deleteUnknownTag: {
    method: 'DELETE',
    path: '/unknown-tags/{unknown_tag_id}',
    ...forUsers,
    summary: 'Remove a tag from the list of unknown tags',
    description: 'The list shows the tag again after the next read.',
    params: z.strictObject({ unknown_tag_id: pathId }),
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>
