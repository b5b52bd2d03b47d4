import { z } from 'zod'
import { assetTypes } from '../catalog/assets.ts'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { needsOneOf } from '../../rules/object-rules.ts'
import {
  booleanParameter,
  dataOf,
  enumParameters,
  idParameter,
  idsParameter,
  instantParameter,
  integerParameter,
  limitParameter,
  textParameter,
} from '../../rules/query.ts'
import type { Route } from '../../route.ts'

const Count = z.int().meta({ override: { type: 'integer', minimum: 0 } })

/**
 * One hour of UTC, or one step of `step_seconds`. `in` and `out` are present if the request names a location; `within`, the movements between the
 * location and its sub-locations, if it includes them.
 */
const HourOfMovements = z
  .object({
    hour: WireInstant,
    moves: Count,
    in: Count.optional(),
    out: Count.optional(),
    within: Count.optional(),
  })
  .meta({ id: 'HourOfMovements' })
export type HourOfMovements = z.infer<typeof HourOfMovements>

/** All hours or steps that overlap the window, including those without a movement. */
export const MovementSummary = z
  .object({ from: WireInstant, to: WireInstant, hours: z.array(HourOfMovements) })
  .meta({ id: 'MovementSummary' })
export type MovementSummary = z.infer<typeof MovementSummary>

const ofTypes = enumParameters(assetTypes).meta({
  description:
    'Repeatable: movements of assets that are of one of these types now, or were when they were deleted.',
})

export const MovementSummaryQuery = z
  .strictObject({
    from: instantParameter.optional().meta({
      description:
        'RFC 3339 timestamp with any offset. Defaults to 24 hours before `to`. At most 31 days before `to`.',
    }),
    to: instantParameter
      .optional()
      .meta({ description: 'RFC 3339 timestamp with any offset. The bound is exclusive. Defaults to now.' }),
    location_id: idParameter.optional(),
    include_descendants: booleanParameter.optional(),
    asset_id: idsParameter.optional(),
    type: ofTypes.optional(),
    step_seconds: integerParameter(60)
      .optional()
      .meta({ description: 'Steps start at multiples of it since 1970. At most 1 000 of them.' })
      .transform((sent) => sent ?? 3600),
  })
  .check(needsOneOf('include_descendants', ['location_id']))
export type MovementSummaryQuery = z.infer<typeof MovementSummaryQuery>

/** An asset or a location as it is now; key and name are null once it is deleted. */
export const MovedThing = z
  .object({ id: Id, external_key: z.string().nullable(), name: z.string().nullable() })
  .meta({
    id: 'MovedThing',
    example: { id: 4503599627370497, external_key: 'FORKLIFT-7', name: 'Forklift 7' },
  })

const Movement = z
  .object({
    occurred_at: WireInstant,
    asset: MovedThing,
    from_location: MovedThing.nullable(),
    to_location: MovedThing,
    dwell_seconds: z
      .int()
      .nullable()
      .meta({ override: { type: 'integer', minimum: 0, nullable: true } }),
  })
  .meta({
    id: 'Movement',
    example: {
      occurred_at: '2026-11-21T08:30:00.000Z',
      asset: { id: 4503599627370497, external_key: 'FORKLIFT-7', name: 'Forklift 7' },
      from_location: { id: 4503599627370513, external_key: 'DOCK-1', name: 'Dock 1' },
      to_location: { id: 4503599627370529, external_key: 'SHELF-2', name: 'Shelf 2' },
      dwell_seconds: 5400,
    },
  })
export type Movement = z.infer<typeof Movement>

export const MovementPage = z
  .object({
    data: z.array(Movement),
    cursor: z
      .string()
      .nullable()
      .meta({ override: { type: 'string', nullable: true } }),
    has_more: z.boolean(),
  })
  .meta({ id: 'MovementPage' })
export type MovementPage = z.infer<typeof MovementPage>

export const MovementsQuery = z.strictObject({
  from: instantParameter.optional(),
  to: instantParameter.optional(),
  asset_id: idsParameter.optional(),
  location_id: idsParameter.optional().meta({
    description: 'Repeatable: a movement from or to one of these locations matches.',
  }),
  include_descendants: booleanParameter.optional().meta({
    description:
      '`true` also returns movements from and to live sub-locations of `location_id`, at any depth. Without ' +
      '`location_id` it has no effect.',
  }),
  type: ofTypes.optional(),
  after: textParameter(
    255,
    'The `cursor` of the page before. Send it with the same filters. Without it: the newest movements.',
  ).optional(),
  limit: limitParameter(500)
    .optional()
    .transform((sent) => sent ?? 50),
})
export type MovementsQuery = z.infer<typeof MovementsQuery>

const Column = z.array(z.int())

/**
 * Where everything was at `from`, and what moved until `to`, in columns: rows of the same index belong together. `asset`
 * and the locations of `start` and `moves` are indexes of `assets` and `locations`, which are ids. `seconds` counts from the
 * movement before, the first from `from`.
 */
export const Playback = z
  .object({
    from: WireInstant,
    to: WireInstant,
    assets: Column,
    types: z.array(z.enum(assetTypes)).meta({ description: 'Of each of `assets`.' }),
    locations: Column,
    start: z.object({ asset: Column, location: Column }),
    moves: z.object({ seconds: Column, asset: Column, location: Column }),
    is_cut: z.boolean().meta({ description: 'There are more movements, or more assets, than this has.' }),
  })
  .meta({ id: 'Playback' })
export type Playback = z.infer<typeof Playback>

export const PlaybackQuery = z.strictObject({ from: instantParameter, to: instantParameter })

/** Of one location, without its sub-locations, within the time. `dwell_seconds` is the sum over its assets. */
const LocationUse = z
  .object({
    location_id: Id,
    arrivals: Count,
    dwell_seconds: Count,
    most_assets: Count.meta({
      override: { type: 'integer', minimum: 0 },
      description: 'The most assets that were there at the same time.',
    }),
  })
  .meta({ id: 'LocationUse' })
export type LocationUse = z.infer<typeof LocationUse>

export const LocationUses = z
  .object({
    from: WireInstant,
    to: WireInstant,
    locations: z.array(LocationUse),
    is_cut: z
      .boolean()
      .meta({ description: 'There are more movements, and the time ends with the last counted.' }),
  })
  .meta({ id: 'LocationUses' })
export type LocationUses = z.infer<typeof LocationUses>

export const LocationUsesQuery = z.strictObject({ from: instantParameter, to: instantParameter })

const forUsers = { upstream: 'tracking', access: 'session', counted: false, described: false } as const

export const movementRoutes = {
  listLocationUses: {
    method: 'GET',
    path: '/movements/by-location',
    ...forUsers,
    summary: 'Get arrivals, dwell and the most assets of each location in a time of at most 7 days',
    description:
      'Of each location that had an asset between `from` and `to`. An asset stays until its next movement, or until it is ' +
      'deleted or no longer valid. At most 200 000 movements count: then `is_cut` is true and `to` is where they end.',
    query: LocationUsesQuery,
    success: { status: 200, schema: dataOf(LocationUses) },
    errors: ['validation_error'],
  },
  playMovements: {
    method: 'GET',
    path: '/movements/playback',
    ...forUsers,
    summary: 'Get what moved in a time of at most a day, to play it back',
    description:
      'The state at `from` and all movements until `to`, oldest first: at most 10 000 assets and 200 000 movements.',
    query: PlaybackQuery,
    success: { status: 200, schema: dataOf(Playback) },
    errors: ['validation_error'],
  },

  listMovements: {
    method: 'GET',
    path: '/movements',
    upstream: 'tracking',
    access: 'scans:read',
    counted: true,
    described: true,
    summary: 'List movements',
    description:
      'Returns every change of location in the history as it stands, newest first: late scans and inventory saves ' +
      'count, and movements of deleted assets stay. The first location of an asset, or its first one after a scan ' +
      'without a location, has no `from_location`. Pages have a cursor, so that new movements shift no page: send ' +
      '`cursor` as `after` until `has_more` is false.',
    query: MovementsQuery,
    success: { status: 200, schema: MovementPage },
    errors: ['validation_error'],
  },
  summarizeMovements: {
    method: 'GET',
    path: '/movements/summary',
    ...forUsers,
    summary: 'Count movements per hour',
    description:
      'A movement is a history row at a different location than the previous row of the asset, or at its first ' +
      'location. `asset_id` and `type` count only movements of these assets. With `location_id`, each hour also counts the movements to that location and from it. With ' +
      '`include_descendants`, its sub-locations count as part of it; movements among them are counted apart.',
    query: MovementSummaryQuery,
    success: { status: 200, schema: dataOf(MovementSummary) },
    errors: ['validation_error'],
  },
} as const satisfies Record<string, Route>
