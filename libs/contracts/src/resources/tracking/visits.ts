import { z } from 'zod'
import { assetTypes } from '../catalog/assets.ts'
import { WireInstant } from '../../rules/instant.ts'
import { openEnum } from '../../rules/open-enum.ts'
import {
  booleanParameter,
  enumParameter,
  enumParameters,
  idsParameter,
  instantParameter,
  integerParameter,
  limitParameter,
  listOf,
  page,
  textParameter,
} from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { MovedThing } from './movements.ts'

const Count = z.int().meta({ override: { type: 'integer', minimum: 0 } })
const CountOrNull = z
  .int()
  .nullable()
  .meta({ override: { type: 'integer', minimum: 0, nullable: true } })
const KeyOrNull = z
  .string()
  .nullable()
  .meta({ override: { type: 'string', nullable: true } })

/** An unbroken stay of an asset at a location, or below a location that the request names (D21.2). */
const Visit = z
  .object({
    asset: MovedThing,
    location: MovedThing,
    started_at: WireInstant,
    ended_at: WireInstant.nullable(),
    seconds: Count.meta({
      override: { type: 'integer', minimum: 0 },
      description: 'Whole seconds until `ended_at`, or until `last_seen_at` while the visit is open.',
    }),
    last_seen_at: WireInstant,
    ended_by: openEnum(
      ['moved', 'silence'] as const,
      'Seen elsewhere or without a location, or not seen for longer than `max_silence_seconds`. Null while the visit is open.',
    ).nullable(),
  })
  .meta({
    id: 'Visit',
    example: {
      asset: { id: 4503599627370497, external_key: 'FORKLIFT-7', name: 'Forklift 7' },
      location: { id: 4503599627370513, external_key: 'DOCK-1', name: 'Dock 1' },
      started_at: '2026-11-21T08:30:00.000Z',
      ended_at: '2026-11-21T10:00:00.000Z',
      seconds: 5400,
      last_seen_at: '2026-11-21T09:59:00.000Z',
      ended_by: 'moved',
    },
  })
export type Visit = z.infer<typeof Visit>

export const VisitPage = z
  .object({ data: z.array(Visit), cursor: KeyOrNull, has_more: z.boolean() })
  .meta({ id: 'VisitPage' })

const ofPlaces = {
  asset_id: idsParameter.optional(),
  location_id: idsParameter.optional(),
  include_descendants: booleanParameter.optional().meta({
    description:
      '`true`: a stay at a live sub-location of a `location_id` is part of a visit of the nearest of them. Without `location_id` it has no effect.',
  }),
  asset_type: enumParameters(assetTypes).optional().meta({
    description: 'Repeatable: assets that are of one of these types now, or were when they were deleted.',
  }),
}

export const VisitsQuery = z.strictObject({
  from: instantParameter
    .optional()
    .meta({ description: 'RFC 3339 timestamp with any offset. Visits that ended before it are left out.' }),
  to: instantParameter
    .optional()
    .meta({ description: 'RFC 3339 timestamp with any offset. Visits that began after it are left out.' }),
  ...ofPlaces,
  min_seconds: integerParameter(0)
    .optional()
    .meta({ description: 'Only visits of this many seconds or more.' }),
  open: booleanParameter
    .optional()
    .meta({ description: '`true`: visits that have not ended. `false`: visits that have.' }),
  max_silence_seconds: integerParameter(60)
    .optional()
    .meta({ description: 'A longer pause between two scans ends a visit at the scan before it.' }),
  after: textParameter(
    255,
    'The `cursor` of the page before. Send it with the same filters. Without it: the newest visits.',
  ).optional(),
  limit: limitParameter(500)
    .optional()
    .transform((sent) => sent ?? 50),
})
export type VisitsQuery = z.infer<typeof VisitsQuery>

/** What visits are added up by. A type of asset and a day are the `name` of their group. */
const VisitGroup = z
  .object({
    id: z
      .int()
      .nullable()
      .meta({ override: { type: 'integer', format: 'int64', minimum: 1, nullable: true } }),
    external_key: KeyOrNull,
    name: KeyOrNull,
  })
  .meta({
    id: 'VisitGroup',
    example: { id: 4503599627370513, external_key: 'DOCK-1', name: 'Dock 1' },
  })

const groupOfVisits = {
  group: VisitGroup,
  visits: Count,
  assets: Count,
  seconds_total: Count,
  seconds_median: Count,
  seconds_p95: Count,
  over_limit: CountOrNull,
}
export const VisitReportRow = z.object(groupOfVisits).meta({
  id: 'VisitReportRow',
  example: {
    group: { id: 4503599627370513, external_key: 'DOCK-1', name: 'Dock 1' },
    visits: 12,
    assets: 7,
    seconds_total: 64_800,
    seconds_median: 5400,
    seconds_p95: 9000,
    over_limit: 2,
  },
})
export type VisitReportRow = z.infer<typeof VisitReportRow>

const { group: _group, ...figures } = groupOfVisits
const COLUMNS = ['group.id', 'group.external_key', 'group.name', ...Object.keys(figures)]

const visitGroupings = ['location', 'asset', 'asset_type', 'day'] as const

export const VisitReportQuery = z.strictObject({
  ...page,
  group_by: enumParameter(visitGroupings).meta({ description: 'What visits are added up by.' }),
  from: instantParameter
    .optional()
    .meta({ description: 'RFC 3339 timestamp with any offset. Defaults to 7 days before `to`.' }),
  to: instantParameter.optional().meta({
    description: 'RFC 3339 timestamp with any offset. Defaults to now. At most 92 days after `from`.',
  }),
  ...ofPlaces,
  limit_seconds: integerParameter(0).optional().meta({
    description: '`over_limit` counts the visits that are longer. Without it, `over_limit` is null.',
  }),
})
export type VisitReportQuery = z.infer<typeof VisitReportQuery>

const reading = { upstream: 'tracking', access: 'scans:read', counted: true, described: true } as const

export const visitRoutes = {
  listVisits: {
    method: 'GET',
    path: '/visits',
    ...reading,
    summary: 'List visits',
    description:
      'Returns unbroken stays of assets at locations, newest first by `started_at`. A visit ends when the asset is seen at ' +
      'another location, or without one. Visits of deleted assets stay. Pages have a cursor: send `cursor` as `after` until ' +
      '`has_more` is false. A page may have fewer rows than `limit`, or none, although there are more: with filters that ' +
      'few visits match, it ends after a part of the history.',
    query: VisitsQuery,
    success: { status: 200, schema: VisitPage },
    errors: ['validation_error'],
  },
  reportVisits: {
    method: 'GET',
    path: '/reports/visits',
    ...reading,
    summary: 'Get how many visits there were, and how long',
    description:
      'Adds up visits by location, asset, type of asset, or day of the time zone of the organization. Visits are cut at `from` ' +
      'and `to`, and by day at midnight. An open one counts until its asset was last seen. Median and 95th percentile are ' +
      'those of the nearest rank. Groups with the most seconds are first; days are in order.',
    query: VisitReportQuery,
    hasFixedOrder: true,
    success: { status: 200, schema: listOf(VisitReportRow), csv: COLUMNS },
    errors: ['validation_error'],
  },
} as const satisfies Record<string, Route>
