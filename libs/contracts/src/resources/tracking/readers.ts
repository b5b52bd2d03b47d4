import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { bothOrNeitherNull } from '../../rules/object-rules.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { MinRssi } from './placement.ts'
import {
  booleanParameter,
  dataOf,
  enumParameters,
  idsParameter,
  instantParameter,
  listOf,
  page,
  pathId,
  searchParameter,
  sortParameter,
} from '../../rules/query.ts'
import { mappingRule, ReaderMapping, ReaderMappingView } from './reader-mapping.ts'
import type { Route } from '../../route.ts'
import { addProblem, Name, NamePatch, NaturalKey, text } from '../../rules/text.ts'
import { TimeZone } from '../../rules/time-zone.ts'

/** The decoders, see docs/readers.md. The last token of a reader's subject names one. */
export const readerFormats = [
  'canonical',
  'impinj',
  'zebra',
  'csl',
  'moko',
  'minew',
  'gl-s10',
  'kkm',
  'mapping',
] as const
export type ReaderFormat = (typeof readerFormats)[number]

/** The reader key in a subject: `scans.<org>.<reader>.<format>`. */
export const READER_KEY = /^[A-Za-z0-9-]{1,64}$/

export const ReaderKey = text(1, 64)
  .check((payload) => {
    if (payload.value !== '' && !/^[A-Za-z0-9-]+$/.test(payload.value))
      addProblem(payload, {
        code: 'invalid_value',
        message: '{f} must contain only letters, digits and hyphens',
      })
  })
  .meta({ override: { pattern: '^[A-Za-z0-9-]+$', minLength: 1, maxLength: 64 }, example: 'dock-1' })

export const readerStatuses = ['online', 'degraded', 'silent', 'never_heard'] as const

/** `behind` and `ahead`: by one offset for a while, so that it is not a backlog. `unset`: a time before 2015. */
export const readerClocks = ['ok', 'behind', 'ahead', 'unset'] as const
export type ReaderClockState = (typeof readerClocks)[number]

/** Whose time of a read counts: that of the reader, or that of receipt. */
export const timeSources = ['reader', 'receipt'] as const
export type TimeSource = (typeof timeSources)[number]

/** The last report of a device about itself, for each kind and antenna. */
const DeviceReport = z
  .object({
    kind: z.string(),
    /** When it happened, if the device reports that. */
    at: WireInstant.nullable(),
    received_at: WireInstant,
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'DeviceReport' })

/** For operators who search a problem of a reader. Counters are totals since the reader was first heard. */
export const ReaderHealth = z
  .object({
    /**
     * A reader is `silent` if it was not heard for three times its usual pause, and for at least two minutes. One that
     * sends is `degraded` if at least 5 messages, and 5 % of the messages, of the last hour had a problem, or all had;
     * if its clock is wrong; or if two devices send as this reader.
     */
    status: openEnum(readerStatuses),
    last_seen_at: WireInstant.nullable(),
    identity: z.string().nullable(),
    messages: z.int(),
    reads: z.int(),
    /** Over the last minute. */
    reads_per_minute: z.number(),
    reads_unknown_tag: z.int(),
    /** The antenna has no scan point or one at a deleted location, or no location has the key. */
    reads_unplaced: z.int(),
    /** Their time could not be right, so the time of receipt counts. */
    reads_clock_skewed: z.int(),
    /** More than 24 hours old, from a reader whose clock is right: they fill history. Beyond the retention, only counted. */
    reads_late: z.int(),
    /** Weaker than the minimum of their scan point or organization: no scan. */
    reads_too_weak: z.int(),
    /** Another place was decided for their asset: no scan. */
    reads_outvoted: z.int(),
    /** Reads that the device lost before sending, as it reports. */
    reads_lost: z.int(),
    read_errors: z.int(),
    messages_buried: z.int(), // messages that became dead letters; the name is public and stays
    /** Dropped unread, because the organization sent more messages per second than its keys may. */
    messages_over_rate: z.int(),
    /**
     * The newest time in the last message with a time, minus the time of reception. Positive: the reader's clock is
     * fast.
     */
    clock_offset_ms: z.int().nullable(),
    clock: openEnum(readerClocks),
    /** The last change of the device that sends as this reader, by the names that devices give. Null while two take turns. */
    replaced: z.object({ from: z.string(), to: z.string(), at: WireInstant }).nullable(),
    /** Two devices that take turns in sending as this reader, and the last turn. Null after an hour without one. */
    two_devices: z.object({ identities: z.array(z.string()), at: WireInstant }).nullable(),
    last_problem: z.string().nullable(),
    last_problem_at: WireInstant.nullable(),
    /** The start of the message of the last problem, at most 1 KiB of it. Null for a problem that is not in a message. */
    last_problem_message: z.string().nullable(),
    /** Estimates from the hours of UTC. */
    messages_last_hour: z.int(),
    problems_last_hour: z.int(), // messages with a problem
    reads_last_hour: z.int(),
    /** 24 hours of UTC, oldest first; the last one is under way. */
    reads_by_hour: z.array(z.int()),
    /** Newest first. */
    device: z.array(DeviceReport),
  })
  .meta({ id: 'ReaderHealth' })
export type ReaderHealth = z.infer<typeof ReaderHealth>

/** An hour of UTC with a message. `mean_rssi_dbm` is null without a read that has a signal strength. */
export const ReaderHour = z
  .object({
    hour: WireInstant,
    messages: z.int(),
    /** Messages with a problem. */
    problems: z.int(),
    reads: z.int(),
    mean_rssi_dbm: z.number().nullable(),
    /** The `clock_offset_ms` of its messages that was farthest from 0. */
    clock_offset_ms: z.int().nullable(),
    /** Those with reads. Antenna null: all beyond antenna 32. */
    antennas: z.array(
      z.object({ antenna: z.int().nullable(), reads: z.int(), mean_rssi_dbm: z.number().nullable() }),
    ),
  })
  .meta({ id: 'ReaderHour' })
export type ReaderHour = z.infer<typeof ReaderHour>

/**
 * `id`, `name` and `format` are null for a discovered reader, which was heard but never configured. `timezone` is for
 * devices that send wall time, `time_source` for those whose clock cannot be set, `mapping` for those whose format the installer defines.
 */
export const ReaderView = z
  .object({
    id: Id.nullable(),
    reader_key: z.string(),
    name: z.string().nullable(),
    format: z.string().nullable(),
    timezone: z.string().nullable(),
    time_source: openEnum(timeSources),
    mapping: ReaderMappingView.nullable(),
    configured: z.boolean(),
    created_at: WireInstant.nullable(),
    /** Of its scan points. */
    location_ids: z.array(Id),
    health: ReaderHealth,
  })
  .meta({ id: 'Reader' })
export type ReaderView = z.infer<typeof ReaderView>

/** In a list. A mapping is large, and only who edits it needs it. */
const ListedReader = ReaderView.omit({ mapping: true }).meta({ id: 'ListedReader' })
export type ListedReader = z.infer<typeof ListedReader>

export const ReaderCreate = z
  .strictObject({
    reader_key: ReaderKey,
    name: Name,
    format: z.enum(readerFormats),
    timezone: TimeZone.nullable().optional(),
    time_source: z.enum(timeSources).optional(),
    mapping: ReaderMapping.nullable().optional(),
  })
  .check(mappingRule())
  .meta({ id: 'ReaderCreate' })
export type ReaderCreate = z.infer<typeof ReaderCreate>

/** The key cannot change, because it is in the subject of the device and in the history. */
export const ReaderUpdate = z
  .strictObject({
    name: NamePatch.optional(),
    format: z.enum(readerFormats).optional(),
    timezone: TimeZone.nullable().optional(),
    time_source: z.enum(timeSources).optional(),
    mapping: ReaderMapping.nullable().optional(),
  })
  .meta({ id: 'ReaderUpdate' })
export type ReaderUpdate = z.infer<typeof ReaderUpdate>

export const ScanPointView = z
  .object({
    id: Id,
    antenna: z.int(),
    name: z.string(),
    location_id: Id.nullable(),
    location_external_key: z.string().nullable(),
    /** Weaker reads are no scans, of any tag type. Null: as the organization says (D18.7). */
    min_rssi_dbm: z.int().nullable(),
    /** Added to what the antenna reports. */
    rssi_offset_db: z.int(),
  })
  .meta({ id: 'ScanPoint' })
export type ScanPointView = z.infer<typeof ScanPointView>

const strength = {
  min_rssi_dbm: MinRssi.nullable().optional(),
  rssi_offset_db: z.int().min(-40).max(40).optional(),
}

/** One of the two location fields, or both if they agree. Null or none: reads of the antenna have no location. */
export const ScanPointCreate = z
  .strictObject({
    antenna: z.int().min(1).max(65_535).optional(),
    name: Name,
    location_id: Id.nullable().optional(),
    location_external_key: NaturalKey.nullable().optional(),
    ...strength,
  })
  .check(bothOrNeitherNull('location_id', 'location_external_key'))
  .meta({ id: 'ScanPointCreate' })
export type ScanPointCreate = z.infer<typeof ScanPointCreate>

/** Without a location field the location stays unchanged; null removes it. */
export const ScanPointUpdate = z
  .strictObject({
    antenna: z.int().min(1).max(65_535).optional(),
    name: NamePatch.optional(),
    location_id: Id.nullable().optional(),
    location_external_key: NaturalKey.nullable().optional(),
    ...strength,
  })
  .check(bothOrNeitherNull('location_id', 'location_external_key'))
  .meta({ id: 'ScanPointUpdate' })
export type ScanPointUpdate = z.infer<typeof ScanPointUpdate>

export const ReadersQuery = z.strictObject({
  ...page,
  configured: booleanParameter.optional(),
  status: enumParameters(readerStatuses).optional(),
  q: searchParameter.optional(),
  /** Those with a scan point at one of these locations, also if it is deleted. */
  location_id: idsParameter.optional(),
  sort: sortParameter(['reader_key', 'name', 'last_seen_at', 'reads_per_minute', 'severity']).optional(),
})
export type ReadersQuery = z.infer<typeof ReadersQuery>

/** By default the last 24 hours. */
const ReaderHoursQuery = z.strictObject({
  from: instantParameter.optional(),
  to: instantParameter.optional(),
})

const ReaderPath = z.strictObject({ reader_id: pathId })
const ScanPointPath = z.strictObject({ reader_id: pathId, scan_point_id: pathId })
const MERGE_PATCH = ['application/merge-patch+json', 'application/json'] as const

const forUsers = { upstream: 'tracking', access: 'session', counted: false, described: false } as const
const forAdmins = {
  upstream: 'tracking',
  access: 'session',
  role: 'admin',
  counted: false,
  described: false,
} as const

export const readerRoutes = {
  listReaders: {
    method: 'GET',
    path: '/readers',
    ...forUsers,
    summary: 'List readers and their health',
    description: 'Returns configured and discovered readers, without their mappings.',
    query: ReadersQuery,
    success: { status: 200, schema: listOf(ListedReader) },
    errors: ['validation_error'],
  },
  createReader: {
    method: 'POST',
    path: '/readers',
    ...forAdmins,
    summary: 'Configure a reader',
    body: ReaderCreate,
    success: { status: 201, schema: dataOf(ReaderView) },
    errors: ['validation_error', 'bad_request', 'conflict'],
  },
  getReader: {
    method: 'GET',
    path: '/readers/{reader_id}',
    ...forUsers,
    summary: 'Retrieve a configured reader and its health',
    params: ReaderPath,
    success: { status: 200, schema: dataOf(ReaderView) },
    errors: ['validation_error', 'not_found'],
  },
  updateReader: {
    method: 'PATCH',
    path: '/readers/{reader_id}',
    ...forAdmins,
    summary: 'Update the name or the settings of a reader',
    mediaTypes: MERGE_PATCH,
    params: ReaderPath,
    body: ReaderUpdate,
    success: { status: 200, schema: dataOf(ReaderView) },
    errors: ['validation_error', 'bad_request', 'not_found'],
  },
  deleteReader: {
    method: 'DELETE',
    path: '/readers/{reader_id}',
    ...forAdmins,
    summary: 'Delete a reader and its scan points',
    params: ReaderPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
  listReaderHours: {
    method: 'GET',
    path: '/readers/{reader_id}/hours',
    ...forUsers,
    summary: 'List what a reader sent in each hour of at most 30 days',
    description: 'Returns the hours of UTC that overlap `from` to `to` and have a message, oldest first.',
    params: ReaderPath,
    query: ReaderHoursQuery,
    success: { status: 200, schema: dataOf(z.array(ReaderHour)) },
    errors: ['validation_error', 'not_found'],
  },
  listScanPoints: {
    method: 'GET',
    path: '/readers/{reader_id}/scan-points',
    ...forUsers,
    summary: 'List the scan points of a reader',
    params: ReaderPath,
    query: z.strictObject(page),
    success: { status: 200, schema: listOf(ScanPointView) },
    errors: ['validation_error', 'not_found'],
  },
  createScanPoint: {
    method: 'POST',
    path: '/readers/{reader_id}/scan-points',
    ...forAdmins,
    summary: 'Assign an antenna to a location',
    params: ReaderPath,
    body: ScanPointCreate,
    success: { status: 201, schema: dataOf(ScanPointView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  updateScanPoint: {
    method: 'PATCH',
    path: '/readers/{reader_id}/scan-points/{scan_point_id}',
    ...forAdmins,
    summary: 'Update a scan point',
    mediaTypes: MERGE_PATCH,
    params: ScanPointPath,
    body: ScanPointUpdate,
    success: { status: 200, schema: dataOf(ScanPointView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  deleteScanPoint: {
    method: 'DELETE',
    path: '/readers/{reader_id}/scan-points/{scan_point_id}',
    ...forAdmins,
    summary: 'Delete a scan point',
    params: ScanPointPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>
