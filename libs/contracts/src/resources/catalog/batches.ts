import { z } from 'zod'
import { errorTypes } from '../../errors.ts'
import { ConflictSchema, FieldEntrySchema } from '../../rules/error-schemas.ts'
import { shapeOf } from '../../rules/fields.ts'
import { Id } from '../../rules/ids.ts'
import { bothOrNeitherNull, keyWithoutId, patchWindowRule } from '../../rules/object-rules.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { booleanParameter, enumParameter } from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { NaturalKey } from '../../rules/text.ts'
import { assetFields } from './assets.ts'
import { locationFields } from './locations.ts'

/** Many assets or locations in one request (D12.9). */

export const MAX_BATCH_ITEMS = 500

const batchModes = ['upsert', 'create', 'update'] as const
export type BatchMode = (typeof batchModes)[number]

const BatchQuery = z.strictObject({
  mode: enumParameter(batchModes)
    .optional()
    .transform((sent) => sent ?? 'upsert')
    .meta({
      override: { type: 'string', enum: [...batchModes], default: 'upsert' },
      description:
        '`upsert` creates what is missing and updates the rest. `create` fails items that exist, `update` those that do not.',
    }),
  dry_run: booleanParameter
    .optional()
    .meta({ description: 'Whether to say what would happen and change nothing.' }),
})

/** The fields of a create, of which an update may omit all but the key. */
const { name: assetName, external_key: _a, tags: assetTags, ...ofAssets } = shapeOf(assetFields, 'create')
const {
  name: placeName,
  external_key: _l,
  tags: placeTags,
  ...ofLocations
} = shapeOf(locationFields, 'create')

export const AssetBatchItem = z
  .strictObject({
    external_key: NaturalKey,
    name: assetName.optional(),
    ...ofAssets,
    tags: assetTags.nullable(),
  })
  .check(patchWindowRule(), keyWithoutId('home_location_id', 'home_location_external_key'))
  .meta({
    id: 'AssetBatchItem',
    example: {
      external_key: 'FORKLIFT-7',
      name: 'Forklift 7',
      metadata: { maker: 'Linde' },
      tags: [{ tag_type: 'rfid', value: 'E28011606000020A1B2C3D4E' }],
    },
  })
export type AssetBatchItem = z.infer<typeof AssetBatchItem>

export const LocationBatchItem = z
  .strictObject({
    external_key: NaturalKey,
    name: placeName.optional(),
    ...ofLocations,
    tags: placeTags.nullable(),
  })
  .check(patchWindowRule(), bothOrNeitherNull('parent_id', 'parent_external_key'))
  .meta({
    id: 'LocationBatchItem',
    example: { external_key: 'DOCK-1', name: 'Dock 1', parent_external_key: 'WAREHOUSE-1' },
  })
export type LocationBatchItem = z.infer<typeof LocationBatchItem>

/** Items are checked one by one, because a wrong one fails no other. */
const Body = z.strictObject({ items: z.array(z.unknown()).min(1).max(MAX_BATCH_ITEMS) })

/** The body as the description shows it. */
const described = (item: z.ZodType, id: string) =>
  z
    .strictObject({
      items: z.array(item).min(1).max(MAX_BATCH_ITEMS).meta({
        description:
          'In order. An `external_key` that an earlier item has fails. An item that fails changes nothing.',
      }),
    })
    .meta({ id })

const ItemError = z
  .object({
    type: openEnum(Object.keys(errorTypes), 'Branch on this.'),
    detail: z.string().meta({ description: 'For people. The text may change.' }),
    fields: z.array(FieldEntrySchema).optional().meta({
      description: 'Only on `validation_error`: one entry per problem, with paths within the item.',
    }),
    conflict: ConflictSchema.optional().meta({
      description: 'Only on `conflict`: what has the key or the tag.',
    }),
  })
  .meta({ id: 'BatchItemError' })
export type BatchItemError = z.infer<typeof ItemError>

export const batchStatuses = ['created', 'updated', 'unchanged', 'failed'] as const

const BatchResult = z
  .object({
    index: z.int().meta({
      override: { type: 'integer', minimum: 0, maximum: MAX_BATCH_ITEMS - 1 },
      description: 'The place of the item in `items`, from 0.',
    }),
    status: openEnum(batchStatuses, 'What became of the item.'),
    id: Id.nullable().meta({ description: 'Null for what failed, and for what a dry run would create.' }),
    error: ItemError.nullable().meta({ description: 'Why the item failed, or null.' }),
  })
  .meta({
    id: 'BatchResult',
    example: {
      index: 0,
      status: 'failed',
      id: null,
      error: { type: 'conflict', detail: 'tag rfid:E28011606000020A1B2C3D4E already exists' },
    },
  })
export type BatchResult = z.infer<typeof BatchResult>

const shared = {
  method: 'POST',
  upstream: 'catalog',
  counted: false,
  described: true,
  idempotent: true,
  query: BatchQuery,
  body: Body,
  success: { status: 200, schema: z.object({ data: z.array(BatchResult) }) },
  errors: ['validation_error', 'bad_request', 'conflict'],
} as const

const about = (things: string, more: string) =>
  `Creates and changes up to ${MAX_BATCH_ITEMS} ${things} by \`external_key\`. An update leaves what an item omits; \`tags\`, if ` +
  `sent, are all tags afterwards. ${more}The response has one result per item, in order, and status 200 also if items failed. ` +
  'A repeat of the request changes nothing more: its items are `unchanged`.'

export const batchRoutes = {
  saveAssetBatch: {
    ...shared,
    path: '/assets/batch',
    access: 'assets:write',
    summary: 'Create and change many assets',
    description: about('assets', ''),
    describedBody: described(AssetBatchItem, 'AssetBatch'),
  },
  saveLocationBatch: {
    ...shared,
    path: '/locations/batch',
    access: 'locations:write',
    summary: 'Create and change many locations',
    description: about('locations', 'An item may name an earlier one as its parent. '),
    describedBody: described(LocationBatchItem, 'LocationBatch'),
  },
} as const satisfies Record<string, Route>
