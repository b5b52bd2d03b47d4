import { withMetadata } from '../../rules/metadata-filter.ts'
import { z } from 'zod'
import { AssetListQuery, assetFields } from './assets.ts'
import { fieldCodes } from '../../errors.ts'
import { namesWith, type Fields, type NamesWith } from '../../rules/fields.ts'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { locationFields } from './locations.ts'
import { openEnum } from '../../rules/open-enum.ts'
import {
  booleanParameter,
  columnsParameter,
  dataOf,
  enumParameter,
  enumParameters,
  listOf,
  page,
  pathId,
} from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { tagTypes } from './tags.ts'

export const importResources = ['assets', 'locations'] as const
export type ImportResource = (typeof importResources)[number]

/** The columns of a file in the order of an export. JSON, which may be long, and tags come last. */
export const importColumns = {
  assets: [...jsonLast(assetFields), ...tagTypes],
  locations: [...jsonLast(locationFields), ...tagTypes],
} as const
export type ImportColumn = (typeof importColumns)[ImportResource][number]

/** What the file of failed rows adds to each row. */
export const failedRowColumns = ['import_line', 'import_error'] as const

/**
 * Columns that exported files have for people. Only scans decide where an asset is, and only a restore brings a deleted
 * row back, so an import ignores them.
 */
export const readOnlyColumns = {
  assets: ['location_external_key', 'location_name', 'asset_last_seen', 'deleted_at', ...failedRowColumns],
  locations: [...failedRowColumns],
} as const
export type ReadOnlyColumn = (typeof readOnlyColumns)[ImportResource][number]
export type FileColumn = ImportColumn | ReadOnlyColumn

function jsonLast<F extends Fields>(fields: F): NamesWith<F, 'imported'>[] {
  const [json, other] = [true, false].map((wanted) =>
    namesWith(fields, 'imported').filter((name) => (fields[name]?.column === 'jsonb') === wanted),
  )
  return [...(other ?? []), ...(json ?? [])]
}

export const MAX_IMPORT_BYTES = 64 * 1024 * 1024
export const MAX_IMPORT_ROWS = 100_000

export const importStates = ['pending', 'running', 'done', 'cancelled', 'failed'] as const
export const rowOutcomes = ['created', 'updated', 'unchanged', 'failed'] as const
export type RowOutcome = (typeof rowOutcomes)[number]

/** How the bytes of a file were read. */
export const importEncodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type ImportEncoding = (typeof importEncodings)[number]

/** What an empty cell does: `clear` empties the field and removes the tags of its type; `keep` leaves both alone. */
export const emptyCells = ['clear', 'keep'] as const
export type EmptyCells = (typeof emptyCells)[number]

const count = z.int().meta({ override: { type: 'integer', minimum: 0 }, example: 0 })

/** `rows_done` is the sum of the four outcomes. It equals `rows_total` once the state is `done`. */
export const ImportView = z
  .object({
    id: Id,
    resource: openEnum(importResources),
    dry_run: z.boolean(),
    state: openEnum(importStates),
    rows_total: count,
    rows_done: count,
    created: count,
    updated: count,
    unchanged: count,
    failed: count,
    /** Rows with a warning, of any outcome. */
    warned: count,
    /** Tags that the rows take from their assets or locations. */
    tags_removed: count,
    encoding: openEnum(importEncodings),
    empty_cells: openEnum(emptyCells),
    /** The first three names, of those with characters that depend on the encoding if there are any. */
    first_names: z.array(z.string()),
    /** The dry run whose rows this import executes. */
    applied_from: Id.nullable(),
    /** Columns of the file that the import does not read: those that an export adds, and those to be ignored. */
    ignored_columns: z.array(z.string()),
    created_by: Id.nullable(),
    created_at: WireInstant,
    started_at: WireInstant.nullable(),
    finished_at: WireInstant.nullable(),
  })
  .meta({ id: 'Import' })
export type ImportView = z.infer<typeof ImportView>

/**
 * The problem of a row is a field entry of the API, with the column as its field. `conflict` stands for a 409 of the
 * API.
 */
export const rowErrorCodes = [...fieldCodes, 'conflict'] as const
export type RowErrorCode = (typeof rowErrorCodes)[number]
export const RowError = z
  .object({
    field: z.string().meta({ example: 'rfid' }),
    code: openEnum(rowErrorCodes),
    message: z.string().meta({ example: 'tag rfid:E28011606000020A1B2C3D4E already exists' }),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'ImportRowError' })
export type RowError = {
  field: string
  code: RowErrorCode
  message: string
  params?: Record<string, unknown> | undefined
}

/**
 * `spreadsheet_number`: the digits are gone, as in 8.7E+12. `spreadsheet_error`: a formula failed, as in #N/A.
 * `unreadable_tag`: no reader sends such an `rfid` value. `invisible_character`: such as a zero-width space.
 */
export const rowWarningCodes = [
  'spreadsheet_number',
  'spreadsheet_error',
  'unreadable_tag',
  'invisible_character',
] as const

/** What is probably wrong in a row. It fails no row. */
export const RowWarning = z
  .object({
    field: z.string().meta({ example: 'barcode' }),
    code: openEnum(rowWarningCodes),
    message: z.string().meta({ example: 'barcode "8.71432E+12" was rewritten by a spreadsheet' }),
  })
  .meta({ id: 'ImportRowWarning' })
export type RowWarning = {
  field: string
  code: (typeof rowWarningCodes)[number]
  message: string
}

/**
 * `line` is where the row begins in the file. `id` is null if nothing is stored: for failed rows, and for rows that a
 * dry run would create. `changes` names the columns that differ from the stored row.
 */
export const ImportRowView = z
  .object({
    line: z.int().meta({ override: { type: 'integer', minimum: 2 }, example: 2 }),
    outcome: openEnum(rowOutcomes),
    external_key: z.string().nullable(),
    id: Id.nullable(),
    changes: z.array(z.string()),
    errors: z.array(RowError),
    warnings: z.array(RowWarning),
  })
  .meta({ id: 'ImportRow' })
export type ImportRowView = z.infer<typeof ImportRowView>

const {
  limit: _limit,
  offset: _offset,
  misplaced: _misplaced,
  expand: _expand,
  ...listFilters
} = AssetListQuery.shape

/** The filters and the order of the list of assets. */
export const AssetExportQuery = withMetadata(
  z.strictObject({
    ...listFilters,
    window: enumParameter(['current', 'any']).optional(), // without the default of the list
  }),
)
export type AssetExportQuery = z.infer<typeof AssetExportQuery>

const ImportPath = z.strictObject({ import_id: pathId })
const console = { upstream: 'catalog', access: 'session', counted: false, described: false } as const
const csv = 'text/csv; charset=utf-8'

export const importRoutes = {
  createImport: {
    ...console,
    method: 'POST',
    path: '/imports',
    summary: 'Import a CSV file',
    description:
      'With `dry_run`, only checks what the import would do. Each column of the file must be known. `column` gives the ' +
      'field of one that is not, as in `column=Bezeichnung:name`; without a field, as in `column=Note:`, it is ignored.',
    query: z.strictObject({
      resource: enumParameter(importResources),
      dry_run: booleanParameter.optional(),
      empty_cells: enumParameter(emptyCells).optional(),
      column: columnsParameter.optional(),
    }),
    upload: { mediaTypes: ['text/csv'], maxBytes: MAX_IMPORT_BYTES },
    success: { status: 201, schema: dataOf(ImportView) },
    errors: ['validation_error', 'bad_request', 'rate_limited'],
  },
  listImports: {
    ...console,
    method: 'GET',
    path: '/imports',
    summary: 'List imports',
    description: 'Returns imports, newest first.',
    query: z.strictObject(page),
    success: { status: 200, schema: listOf(ImportView) },
    errors: ['validation_error'],
  },
  getImport: {
    ...console,
    method: 'GET',
    path: '/imports/{import_id}',
    summary: 'Retrieve an import and its progress',
    params: ImportPath,
    success: { status: 200, schema: dataOf(ImportView) },
    errors: ['validation_error', 'not_found'],
  },
  listImportRows: {
    ...console,
    method: 'GET',
    path: '/imports/{import_id}/rows',
    summary: 'List the processed rows of an import',
    description: 'Returns the result of each row so far, in the order of the file.',
    params: ImportPath,
    query: z.strictObject({
      ...page,
      outcome: enumParameters(rowOutcomes).optional(),
      warned: booleanParameter.optional(),
    }),
    success: { status: 200, schema: listOf(ImportRowView) },
    errors: ['validation_error', 'not_found'],
  },
  exportFailedImportRows: {
    ...console,
    method: 'GET',
    path: '/imports/{import_id}/failed-rows',
    summary: 'Export the failed rows of an import as CSV',
    description:
      'The rows as they were in the file, each with its line and its error. Correct the file and import it: an ' +
      'import ignores the columns `import_line` and `import_error`.',
    params: ImportPath,
    success: { status: 200, download: csv },
    errors: ['validation_error', 'not_found', 'rate_limited'],
  },
  applyImport: {
    ...console,
    method: 'POST',
    path: '/imports/{import_id}/apply',
    summary: 'Apply a finished dry run',
    description: 'Idempotent: a second call returns the same import.',
    params: ImportPath,
    success: { status: 201, schema: dataOf(ImportView) },
    errors: ['validation_error', 'not_found', 'conflict', 'rate_limited'],
  },
  deleteImport: {
    ...console,
    method: 'DELETE',
    path: '/imports/{import_id}',
    summary: 'Cancel or delete an import',
    description: 'Cancels a running import; rows that are already imported stay. Deletes a finished import.',
    params: ImportPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
  exportAssets: {
    ...console,
    method: 'GET',
    path: '/exports/assets',
    summary: 'Export assets as CSV',
    description:
      'Takes the filters and the order of the list of assets. Without them, it returns all live assets. Unlike the ' +
      'list, it includes assets outside their validity; `window=current` leaves them out. Each row also has the ' +
      'location of the asset and when it was last seen. The file can be imported: an import ignores these columns.',
    query: AssetExportQuery,
    success: { status: 200, download: csv },
    errors: ['validation_error', 'rate_limited'],
  },
  exportLocations: {
    ...console,
    method: 'GET',
    path: '/exports/locations',
    summary: 'Export all live locations as CSV',
    description: 'Lists parents before children. The file can be imported.',
    success: { status: 200, download: csv },
    errors: ['rate_limited'],
  },
} as const satisfies Record<string, Route>
