import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { Instant, WireInstant } from '../../rules/instant.ts'
import { objectRule } from '../../rules/object-rules.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { dataOf, listOf, page, pathId, textParameter } from '../../rules/query.ts'
import type { Route } from '../../route.ts'

export const exportDatasets = ['history', 'movements', 'assets', 'locations'] as const
export type ExportDataset = (typeof exportDatasets)[number]

/** Those of a time, with a file for each day. The others are of now, in one file. */
const ofDays: ReadonlySet<unknown> = new Set<ExportDataset>(['history', 'movements'])
export const hasDays = (dataset: ExportDataset): boolean => ofDays.has(dataset)

export const exportFormats = ['csv', 'ndjson', 'parquet'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportStatuses = ['queued', 'running', 'done', 'failed'] as const
export type ExportStatus = (typeof exportStatuses)[number]

/** How long the files of an export are kept after it was done, and with them its links. */
export const EXPORT_HOURS = 24

const GZIP = 'application/gzip'
export const exportMediaTypes = {
  csv: GZIP,
  ndjson: GZIP,
  parquet: 'application/vnd.apache.parquet',
} as const satisfies Record<ExportFormat, string>

const count = z.int().meta({ override: { type: 'integer', format: 'int64', minimum: 0 }, example: 0 })

const exported = {
  id: Id,
  dataset: openEnum(exportDatasets),
  format: openEnum(exportFormats),
  from: WireInstant.nullable().meta({
    description: 'The first instant of the rows. Null for a dataset of now.',
  }),
  to: WireInstant.nullable().meta({
    description: 'The last instant of the rows. Null for a dataset of now.',
  }),
  status: openEnum(exportStatuses),
  progress: z.number().meta({
    description: 'The share of the days that are done, from 0 to 1.',
    override: { type: 'number', minimum: 0, maximum: 1 },
    example: 1,
  }),
  rows: count.meta({ description: 'Rows of the files so far.', example: 1_440 }),
  bytes: count.meta({ description: 'Bytes of the files so far.', example: 5_120 }),
  problem: z
    .string()
    .nullable()
    .meta({ description: 'Of a failed export: what happened and what to do.', example: null }),
  created_at: WireInstant,
  finished_at: WireInstant.nullable().meta({ description: 'When it was done or failed. Null before that.' }),
  expires_at: WireInstant.nullable().meta({
    description: `When the export is removed with its files: ${EXPORT_HOURS} hours after it was done or failed. Null before that.`,
  }),
}

/** An export without its files. */
export const ExportView = z.object(exported).meta({ id: 'Export' })
export type ExportView = z.infer<typeof ExportView>

export const ExportFile = z
  .object({
    name: z.string().meta({ description: 'The name of the file.', example: 'history-2026-11-21.parquet' }),
    day: z
      .string()
      .nullable()
      .meta({
        description: 'The day of its rows in UTC. Null for a dataset of now.',
        override: { type: 'string', format: 'date', nullable: true },
        example: '2026-11-21',
      }),
    rows: count.meta({ description: 'Rows of the file.', example: 1_440 }),
    bytes: count.meta({ description: 'Bytes of the file.', example: 5_120 }),
    sha256: z.string().meta({
      description: 'The SHA-256 of the file, in hex.',
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    }),
    url: z.string().meta({
      description:
        'A link to the file, relative to the host of the API. It needs no credentials: who has it can read the file until ' +
        'the export is removed.',
      example:
        '/api/v1/exports/4503599627370497/files/history-2026-11-21.parquet?signature=mK1b0v5sYyq3h1wqk0kq4m2Yx0o8o1o0bqkq1m2Yx0o',
    }),
  })
  .meta({ id: 'ExportFile' })
export type ExportFile = z.infer<typeof ExportFile>

export const ExportDetail = z
  .object({
    ...exported,
    files: z.array(ExportFile).meta({
      description: 'The files that are done, in the order of their days. A day without rows has none.',
    }),
  })
  .meta({ id: 'ExportDetail' })
export type ExportDetail = z.infer<typeof ExportDetail>

/** A dataset of now has no range, and a range has an order. */
const rangeRule = <T>() =>
  objectRule<T>(({ dataset, from, to }) => {
    if (ofDays.has(dataset))
      return typeof from === 'string' && typeof to === 'string' && Date.parse(to) < Date.parse(from)
        ? [{ field: 'to', code: 'invalid_value', message: 'to must not be before from' }]
        : []
    if (!exportDatasets.some((known) => known === dataset)) return []
    return [
      { field: 'from', sent: from },
      { field: 'to', sent: to },
    ].flatMap(({ field, sent }) =>
      sent === undefined
        ? []
        : [
            {
              field,
              code: 'invalid_context' as const,
              message: `${field} is only for ${[...ofDays].join(' and ')}`,
            },
          ],
    )
  })

export const ExportCreate = z
  .strictObject({
    dataset: z.enum(exportDatasets).meta({
      description:
        '`history`: each minute in which an asset was seen. `movements`: each change of a location. `assets`, ' +
        '`locations`: as they are now, also those that are deleted.',
    }),
    from: Instant.optional().meta({
      description: `RFC 3339, with any offset. Default: the oldest history that is kept.`,
    }),
    to: Instant.optional().meta({
      description: 'RFC 3339, with any offset. Default, and at the latest: now.',
    }),
    format: z.enum(exportFormats).meta({
      description: '`csv` and `ndjson` files are compressed with gzip.',
    }),
  })
  .check(rangeRule())
  .meta({
    id: 'ExportCreate',
    example: { dataset: 'history', format: 'parquet' },
  })
export type ExportCreate = z.infer<typeof ExportCreate>

const ExportPath = z.strictObject({ export_id: pathId })
const own = { upstream: 'tracking', access: 'scans:read', counted: true, described: true } as const

export const exportRoutes = {
  createExport: {
    ...own,
    method: 'POST',
    path: '/exports',
    summary: 'Export history, movements, assets or locations',
    description:
      'Begins an export. Its files are made one after the other: read the export until its `status` is `done` or `failed`. ' +
      'An organization has one export running; five more wait.',
    body: ExportCreate,
    success: { status: 202, schema: dataOf(ExportView) },
    errors: ['validation_error', 'rate_limited'],
  },
  listExports: {
    ...own,
    method: 'GET',
    path: '/exports',
    summary: 'List exports',
    description: 'Returns exports without their files, newest first.',
    query: z.strictObject(page),
    hasFixedOrder: true,
    success: { status: 200, schema: listOf(ExportView) },
    errors: ['validation_error'],
  },
  getExport: {
    ...own,
    method: 'GET',
    path: '/exports/{export_id}',
    summary: 'Retrieve an export, its progress and its files',
    params: ExportPath,
    success: { status: 200, schema: dataOf(ExportDetail) },
    errors: ['validation_error', 'not_found'],
  },
  deleteExport: {
    ...own,
    method: 'DELETE',
    path: '/exports/{export_id}',
    summary: 'Stop or delete an export',
    description: 'Stops an export that is not done, and removes its files. Their links end at once.',
    params: ExportPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
  downloadExportFile: {
    method: 'GET',
    path: '/exports/{export_id}/files/{file_name}',
    upstream: 'tracking',
    access: 'none',
    counted: false,
    described: false, // people and programs follow `url`
    bySignature: true,
    conditional: true,
    summary: 'Download a file of an export',
    description:
      'The `url` of a file. Takes `Range` of one range and `If-Range`, so tools read the parts that they need, and a ' +
      'download that broke off goes on.',
    params: z.strictObject({
      export_id: pathId,
      file_name: z.string().meta({
        description: 'The name of the file.',
        override: { type: 'string' },
        example: 'history-2026-11-21.parquet',
      }),
    }),
    query: z.strictObject({ signature: textParameter(43, 'The signature of the link.') }),
    success: { status: 200, download: [...new Set(Object.values(exportMediaTypes))] },
    errors: ['validation_error', 'not_found', 'range_not_satisfiable', 'rate_limited'],
  },
} as const satisfies Record<string, Route>
