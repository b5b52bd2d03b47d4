import { z } from 'zod'
import { Expanded, expandedHome, homeFilters } from '../home.ts'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { needsOneOf, noneAlone, oneOf } from '../../rules/object-rules.ts'
import {
  booleanParameter,
  expandParameter,
  idsOrNoneParameter,
  idsParameter,
  instantParameter,
  keysParameter,
  listOf,
  page,
  pathId,
  searchParameter,
  sortParameter,
} from '../../rules/query.ts'
import type { Route } from '../../route.ts'

const expandables = ['asset', 'location'] as const
export type Expandable = (typeof expandables)[number]

const reportExpandables = [...expandables, 'home'] as const
export type ReportExpandable = (typeof reportExpandables)[number]

/** Only with `expand` (D12.6). */
const expanded = {
  asset: Expanded.nullable().optional().meta({ description: 'With `expand=asset`: the asset of the row.' }),
  location: Expanded.nullable().optional().meta({
    description: 'With `expand=location`. Null if the row has none, or if it was deleted since.',
  }),
}

const assetLocation = {
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
}

export const AssetLocationRow = z.object({ ...assetLocation, ...expanded, ...expandedHome }).meta({
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

const historyRow = {
  event_observed_at: WireInstant,
  location_id: Id.nullable(),
  location_external_key: z.string().nullable(),
  duration_seconds: z
    .int()
    .nullable()
    .meta({ override: { type: 'integer', minimum: 0, nullable: true } }),
}

export const HistoryRow = z.object({ ...historyRow, ...expanded }).meta({
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
    location_id: idsOrNoneParameter.optional().meta({
      description: 'Repeatable: one of the values matches. `none` alone: only assets without a location.',
    }),
    location_external_key: keysParameter.optional(),
    include_descendants: booleanParameter.optional().meta({
      description:
        'Requires a location filter. `true` also returns assets at live sub-locations, at any depth.',
    }),
    not_seen_since: instantParameter.optional().meta({
      description:
        'RFC 3339 timestamp with any offset. Returns only assets whose `asset_last_seen` lies before it.',
    }),
    ...homeFilters,
    include_deleted: booleanParameter.optional(),
    q: searchParameter.optional(),
    at: instantParameter.optional().meta({
      description:
        'RFC 3339 timestamp with any offset. Returns where each asset was at that time, according to its history. ' +
        'Includes assets that were valid, not deleted and already scanned at that time. The dwell is null. Responds ' +
        'with 400 if the time is before the oldest history that is kept.',
    }),
    sort: sortParameter(['asset_last_seen', 'asset_external_key', 'location_external_key']).optional(),
    expand: expandParameter(reportExpandables).optional(),
  })
  .check(
    noneAlone('location_id'),
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
  expand: expandParameter(expandables).optional(),
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

const reading = { upstream: 'tracking', access: 'scans:read', counted: true, described: true } as const

export const trackingRoutes = {
  listAssetHistory: {
    method: 'GET',
    path: '/assets/{asset_id}/history',
    ...reading,
    summary: 'List the location history of an asset',
    description:
      'Returns one row per minute, newest first by default. `duration_seconds` is the time that the asset spent at ' +
      'the previous location before the scan of the row. It is null on the earliest row of the history.',
    params: z.strictObject({ asset_id: pathId }),
    query: HistoryQuery,
    success: { status: 200, schema: listOf(HistoryRow), csv: Object.keys(historyRow) },
    errors: ['validation_error', 'not_found'],
  },
  listAssetLocations: {
    method: 'GET',
    path: '/reports/asset-locations',
    ...reading,
    summary: 'List where assets were last seen',
    description:
      'Returns one row per scanned asset, most recently seen first by default. An asset that was never scanned has ' +
      'no row. Filter assets by id or by external key, not by both; the same applies to locations. The dwell is the ' +
      'current unbroken time at one location, from the first scan there to the last. A page costs the rows before it. ' +
      'Sorting by location and then by another field sorts all rows for each page. A request that takes too ' +
      'long is stopped after some seconds with 503 `service_unavailable`: narrow it with filters.',
    query: AssetLocationsQuery,
    success: { status: 200, schema: listOf(AssetLocationRow), csv: Object.keys(assetLocation) },
    errors: ['validation_error'],
  },
  listCurrentLocations: {
    method: 'GET',
    path: '/locations/current',
    ...reading,
    summary: 'List the current location of assets',
    description:
      'Returns external keys, most recently seen first by default. Includes only assets that were last seen at a ' +
      'location that still exists; `GET /reports/asset-locations` also returns the others. `q` searches name, ' +
      'external key and tag values of the asset.',
    query: CurrentLocationsQuery,
    success: { status: 200, schema: listOf(CurrentLocationRow) },
    errors: ['validation_error'],
  },
} as const satisfies Record<string, Route>
