import { z } from 'zod'
import { epcSchemes, epcUri, pureIdentityUri } from './epc.ts'
import { Id } from '../../rules/ids.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { dataOf, invalid, parameters, pathId, type Read } from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { decodeEpc, normalTagValue } from './tag-matching.ts'
import { addProblem, CONTROL_PROBLEM, hasControl, LABELS, text } from '../../rules/text.ts'

export const tagTypes = ['rfid', 'ble', 'barcode'] as const
export type TagType = (typeof tagTypes)[number]

/** Open in replies: a newer service may know more types than an older client. */
const OpenTagType = openEnum(tagTypes)

const example = {
  scheme: 'sgtin-96',
  uri: 'urn:epc:tag:sgtin-96:3.0614141.812345.6789',
  pure_identity_uri: 'urn:epc:id:sgtin:0614141.812345.6789',
  company_prefix: '0614141',
  filter: 3,
  serial: '6789',
}
const exampleTag = { tag_type: 'rfid', value: '3074257BF7194E4000001A85' } as const

/** What an EPC says (D16.5). */
const EpcView = z
  .object({
    scheme: openEnum(epcSchemes),
    uri: z.string(),
    pure_identity_uri: z.string(),
    company_prefix: z.string(),
    filter: z.int().nullable(),
    serial: z.string().nullable(),
  })
  .meta({ id: 'Epc', example })
export type EpcView = z.infer<typeof EpcView>

export const TagView = z
  .object({
    id: Id,
    tag_type: OpenTagType,
    value: z.string().meta({ example: exampleTag.value }),
    epc: EpcView.nullable().optional(),
  })
  .meta({ id: 'Tag', example: { id: 4503599627370497, ...exampleTag, epc: example } })
export type TagView = z.infer<typeof TagView>

/** A tag as views show it. `rfid` tags alone have the member `epc`, null if the value is not an EPC of a known scheme. */
export const withEpc = <T extends { tag_type: string; value: string }>(tag: T): T & Pick<TagView, 'epc'> =>
  tag.tag_type === 'rfid' ? { ...tag, epc: epcOf(tag.value) } : tag

function epcOf(value: string): EpcView | null {
  const epc = decodeEpc(value)
  if (!epc) return null
  return {
    scheme: epc.scheme,
    uri: epcUri(epc),
    pure_identity_uri: pureIdentityUri(epc),
    company_prefix: epc.company,
    filter: epc.filter,
    serial: epc.serial ?? null,
  }
}

/** Its type decides what it may be: see `tagRule`. */
export const tagFields = { tag_type: z.enum(tagTypes), value: text(1, 255, { control: 'labels' }) }

/**
 * A barcode loses its ends, without which it must not be empty, and it alone may have the separators of labels (D19.1). A
 * beacon gets its one spelling (D19.3).
 */
export function tagRule<T extends { value: string }>(typeOf: (tag: T) => TagType) {
  const check = z.check<T>((payload) => {
    const { value } = payload.value
    if (typeof value !== 'string') return
    const type = typeOf(payload.value)
    if (type !== 'barcode' && hasControl(value, 'lines'))
      return addProblem(payload, CONTROL_PROBLEM, ['value'])
    const normal = normalTagValue(type, value)
    if (normal === value) return
    payload.value = { ...payload.value, value: normal }
    if (normal === '') payload.issues.push(emptyValue())
  })
  check._zod.def.when = ({ value }) => typeof value === 'object' && value !== null // as for `objectRule`
  return check
}

const emptyValue = (): z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall> => ({
  code: 'too_small',
  origin: 'string',
  minimum: 1,
  inclusive: true,
  input: '',
  path: ['value'],
})

export const TagCreate = z
  .strictObject(tagFields)
  .check(tagRule(({ tag_type }) => tag_type))
  .meta({ id: 'TagCreate', example: exampleTag })
export type TagCreate = z.infer<typeof TagCreate>

/** The value may contain colons. */
const readTag: Read<TagCreate> = (raw) => {
  const [tag_type, ...rest] = raw.split(':')
  const { data } = TagCreate.safeParse({ tag_type, value: rest.join(':') })
  return data
    ? { value: data }
    : invalid(`<type>:<value> with a type among ${tagTypes.join(', ')} and a value of 1 to 255 characters`)
}

/** A filter of lists by live tags (D12.5). */
export const tagsParameter = parameters(
  readTag,
  {
    type: 'string',
    pattern: `^(${tagTypes.join('|')}):${LABELS}{1,255}$`,
    example: 'rfid:E28011606000020A1B2C3D4E',
  },
  'A tag as `<type>:<value>`, compared as a read is: `rfid` and `ble` ignore case, spaces, dashes and colons, `rfid` ' +
    'also `0x`, `barcode` white space at its ends. An EPC matches in hex and as a URN, a beacon in any spelling. ' +
    'Repeatable: one of the tags matches.',
)

/** Limit of tags per resource, so that requests and replies stay small. */
export const MAX_TAGS = 200

const attachedTo = (owner: string) =>
  `Responds with 409 if an asset or a location already has the tag, or if ${owner} already has ${MAX_TAGS} tags.`

const attached = { status: 201, schema: dataOf(TagView) } as const
const attachErrors = ['validation_error', 'bad_request', 'not_found', 'conflict'] as const

const ofAssets = { upstream: 'catalog', access: 'assets:write', counted: false, described: true } as const
const ofLocations = {
  upstream: 'catalog',
  access: 'locations:write',
  counted: false,
  described: true,
} as const

export const tagRoutes = {
  addAssetTag: {
    method: 'POST',
    path: '/assets/{asset_id}/tags',
    ...ofAssets,
    idempotent: true,
    summary: 'Attach a tag to an asset',
    description: attachedTo('the asset'),
    params: z.strictObject({ asset_id: pathId }),
    body: TagCreate,
    success: attached,
    errors: attachErrors,
  },
  removeAssetTag: {
    method: 'DELETE',
    path: '/assets/{asset_id}/tags/{tag_id}',
    ...ofAssets,
    summary: 'Remove a tag from an asset',
    params: z.strictObject({ asset_id: pathId, tag_id: pathId }),
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
  addLocationTag: {
    method: 'POST',
    path: '/locations/{location_id}/tags',
    ...ofLocations,
    idempotent: true,
    summary: 'Attach a tag to a location',
    description: attachedTo('the location'),
    params: z.strictObject({ location_id: pathId }),
    body: TagCreate,
    success: attached,
    errors: attachErrors,
  },
  removeLocationTag: {
    method: 'DELETE',
    path: '/locations/{location_id}/tags/{tag_id}',
    ...ofLocations,
    summary: 'Remove a tag from a location',
    params: z.strictObject({ location_id: pathId, tag_id: pathId }),
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>
