import { z } from 'zod'
import { Id } from './ids.ts'
import { WireInstant } from './instant.ts'
import { needsOneOf, oneOf } from './object-rules.ts'
import {
  booleanParameter,
  idsParameter,
  instantParameter,
  keysParameter,
  listOf,
  page,
  pathId,
  searchParameter,
  sortParameter,
} from './query.ts'
import type { Route } from './route.ts'

export const AssetLocationRow = z
  .object({
    asset_id: Id,
    asset_external_key: z.string(),
    location_id: Id.nullable(),
    location_external_key: z.string().nullable(),
    asset_deleted_at: WireInstant.nullable(),
    asset_last_seen: WireInstant,
    dwell_started_at: WireInstant.nullable(),
    dwell_seconds: z
      .int()
      .nullable()
      .meta({ override: { type: 'integer', minimum: 0, nullable: true } }),
  })
  .meta({
    id: 'AssetLocation',
    example: {
      asset_id: 4503599627370497,
      asset_external_key: 'FORKLIFT-7',
      location_id: 4503599627370513,
      location_external_key: 'DOCK-1',
      asset_deleted_at: null,
      asset_last_seen: '2026-11-21T10:00:00.000Z',
      dwell_started_at: '2026-11-21T08:30:00.000Z',
      dwell_seconds: 5400,
    },
  })
export type AssetLocationRow = z.infer<typeof AssetLocationRow>

export const HistoryRow = z
  .object({
    event_observed_at: WireInstant,
    location_id: Id.nullable(),
    location_external_key: z.string().nullable(),
    duration_seconds: z
      .int()
      .nullable()
      .meta({ override: { type: 'integer', minimum: 0, nullable: true } }),
  })
  .meta({
    id: 'HistoryRow',
    example: {
      event_observed_at: '2026-11-21T08:30:00.000Z',
      location_id: 4503599627370513,
      location_external_key: 'DOCK-1',
      duration_seconds: 86400,
    },
  })
export type HistoryRow = z.infer<typeof HistoryRow>

export const AssetLocationsQuery = z
  .strictObject({
    ...page,
    asset_id: idsParameter.optional(),
    asset_external_key: keysParameter.optional(),
    location_id: idsParameter.optional(),
    location_external_key: keysParameter.optional(),
    include_descendants: booleanParameter.optional().meta({
      description:
        'With a filter by location: `true` also finds what is at the live locations inside it, however deep.',
    }),
    include_deleted: booleanParameter.optional(),
    q: searchParameter.optional(),
    at: instantParameter.optional().meta({
      description:
        'RFC 3339 with any offset: where everything was at that instant, as its history has it. Listed is what was ' +
        'valid and not deleted then and had been scanned by then; the dwell is null. Not before the history that is kept.',
    }),
    sort: sortParameter(['asset_last_seen', 'asset_external_key', 'location_external_key']).optional(),
  })
  .check(
    oneOf('asset_id', 'asset_external_key'),
    oneOf('location_id', 'location_external_key'),
    needsOneOf('include_descendants', ['location_id', 'location_external_key']),
  )
export type AssetLocationsQuery = z.infer<typeof AssetLocationsQuery>

export const HistoryQuery = z.strictObject({
  ...page,
  from: instantParameter.optional(),
  to: instantParameter.optional(),
  sort: sortParameter(['event_observed_at']).optional(),
})
export type HistoryQuery = z.infer<typeof HistoryQuery>

/** Only natural keys. It is the same in both vocabularies (D1.4). */
export const CurrentLocationRow = z
  .object({
    asset: z.string().meta({ example: 'FORKLIFT-7' }),
    location: z.string().meta({ example: 'DOCK-1' }),
    last_seen: WireInstant,
  })
  .meta({ id: 'CurrentLocation' })
export type CurrentLocationRow = z.infer<typeof CurrentLocationRow>

export const CurrentLocationsQuery = z.strictObject({
  ...page,
  location: keysParameter.optional(),
  asset: keysParameter.optional(),
  q: searchParameter.optional(),
  sort: sortParameter(['last_seen', 'asset', 'location']).optional(),
})
export type CurrentLocationsQuery = z.infer<typeof CurrentLocationsQuery>

export const trackingRoutes = {
  getAssetHistory: {
    method: 'GET',
    path: '/assets/{asset_id}/history',
    upstream: 'tracking',
    access: 'scans:read',
    counted: true,
    described: true,
    summary: 'List where an asset has been, newest first, one row per minute',
    description:
      '`duration_seconds` is the time the asset spent at the previous location before the scan of the row, null on ' +
      'the earliest row of its history.',
    params: z.strictObject({ asset_id: pathId }),
    query: HistoryQuery,
    success: { status: 200, schema: listOf(HistoryRow), csv: Object.keys(HistoryRow.shape) },
    errors: ['validation_error', 'not_found'],
  },
  listAssetLocations: {
    method: 'GET',
    path: '/reports/asset-locations',
    upstream: 'tracking',
    access: 'scans:read',
    counted: true,
    described: true,
    summary: 'List where every scanned asset was last seen',
    description:
      'Latest first unless sorted otherwise; an asset that was never scanned has no row. The id and the key of one ' +
      'thing cannot be used together. The dwell is the current unbroken stay, from its first scan to the last.',
    query: AssetLocationsQuery,
    success: { status: 200, schema: listOf(AssetLocationRow), csv: Object.keys(AssetLocationRow.shape) },
    errors: ['validation_error'],
  },
  listCurrentLocations: {
    method: 'GET',
    path: '/locations/current',
    upstream: 'tracking',
    access: 'scans:read',
    counted: true,
    described: true,
    summary: 'List which asset is at which location, by their keys',
    description:
      'Latest seen first unless sorted otherwise. Only assets that were last seen at a location that still exists: ' +
      '`GET /reports/asset-locations` has the others as well. `q` looks into name, key and tag values of the asset.',
    query: CurrentLocationsQuery,
    success: { status: 200, schema: listOf(CurrentLocationRow) },
    errors: ['validation_error'],
  },
} as const satisfies Record<string, Route>
