import type { ImportRowView, RowOutcome } from '@whereabouts/contracts/resources/catalog/imports'
import { jsonInSlices } from '@whereabouts/service-kit/limits/slices'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db.ts'
import type { CsvRow } from './file/csv.ts'

/** A stored line, with its key if it has a valid one. */
export type StoredLine = CsvRow & { key?: string | undefined }

export async function insertLines(
  tx: Tx,
  orgId: number,
  fileId: number,
  lines: readonly StoredLine[],
): Promise<void> {
  const rows = lines.map(({ line, cells, key }) => ({
    line,
    cells,
    size: sizeOf({ cells }),
    external_key: key,
  }))
  await sql`
    insert into import_line (org_id, file_id, line, size, external_key, cells)
    select ${orgId}, ${fileId}, line, size, external_key, cells
    from jsonb_to_recordset(${await jsonInSlices(rows)}::jsonb)
      as given (line int, size int, external_key text, cells jsonb)`.execute(tx)
}

/** In characters. */
export const sizeOf = ({ cells }: Pick<CsvRow, 'cells'>): number =>
  cells.reduce((size, cell) => size + cell.length, 0)

/** The next lines after `after`, up to both bounds, but at least one if there is one. */
export async function nextLines(
  db: Db,
  orgId: number,
  fileId: number,
  after: number,
  most: { lines: number; characters: number },
): Promise<CsvRow[]> {
  const { rows } = await sql<CsvRow>`
    select line, cells from (
      select line, cells, size, sum(size) over (order by line) as total
      from (select line, cells, size from import_line
            where org_id = ${orgId} and file_id = ${fileId} and line > ${after}
            order by line limit ${most.lines}) as next
    ) as counted
    where total <= ${most.characters} or total = size
    order by line`.execute(db)
  return rows
}

/**
 * For each pair, the first line after `after` with this key. `line + 0` keeps the planner from reading the rest of
 * the file line by line for a key that may be missing.
 */
export async function findLaterLines(
  db: Db,
  orgId: number,
  fileId: number,
  wanted: readonly { key: string; after: number }[],
): Promise<Map<number, number>> {
  const [keys, lines] = [wanted.map(({ key }) => key), wanted.map(({ after }) => after)]
  const { rows } = await sql<{ after: number; line: number }>`
    select wanted.after, found.line
    from unnest(${keys}::text[], ${lines}::int[]) as wanted (key, after)
    cross join lateral (
      select line from import_line
      where org_id = ${orgId} and file_id = ${fileId} and external_key = wanted.key and line + 0 > wanted.after
      order by line + 0 limit 1) as found`.execute(db)
  return new Map(rows.map(({ after, line }) => [after, line]))
}

/** For each pair, the first line before `before` with this key. */
export async function findEarlierLines(
  db: Db,
  orgId: number,
  fileId: number,
  wanted: readonly { key: string; before: number }[],
): Promise<Map<number, number>> {
  const [keys, lines] = [wanted.map(({ key }) => key), wanted.map(({ before }) => before)]
  const { rows } = await sql<{ before: number; line: number }>`
    select wanted.before, found.line
    from unnest(${keys}::text[], ${lines}::int[]) as wanted (key, before)
    cross join lateral (
      select line from import_line
      where org_id = ${orgId} and file_id = ${fileId} and external_key = wanted.key and line + 0 < wanted.before
      order by line + 0 limit 1) as found`.execute(db)
  return new Map(rows.map(({ before, line }) => [before, line]))
}

export async function insertOutcomes(
  tx: Tx,
  orgId: number,
  importId: number,
  rows: readonly ImportRowView[],
): Promise<void> {
  await sql`
    insert into import_row (org_id, import_id, line, outcome, external_key, resource_id, changes, errors)
    select ${orgId}, ${importId}, line, outcome, external_key, id, changes, errors
    from jsonb_to_recordset(${await jsonInSlices(rows)}::jsonb)
      as given (line int, outcome text, external_key text, id bigint, changes jsonb, errors jsonb)`.execute(
    tx,
  )
}

/** The outcomes so far, by line. */
export async function listOutcomes(
  db: Db,
  orgId: number,
  importId: number,
  outcomes: readonly RowOutcome[] | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<ImportRowView[]> {
  const { rows } = await sql<ImportRowView>`
    select line, outcome, external_key, resource_id as id, changes, errors from import_row
    where org_id = ${orgId} and import_id = ${importId}
      ${outcomes ? sql`and outcome = any(${[...outcomes]}::text[])` : sql``}
    order by line limit ${limit} offset ${offset}`.execute(db)
  return rows
}
