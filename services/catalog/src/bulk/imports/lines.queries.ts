import type { ImportRowView, RowOutcome } from '@whereabouts/contracts/resources/catalog/imports'
import { jsonInSlices } from '@whereabouts/service-kit/limits/slices'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db.ts'
import type { CsvRow } from './file/csv.ts'
import { waitingLines, type Child } from './file/parent-order.ts'
import { rowsDone, type ImportRow } from './imports.queries.ts'

/** A stored line, with its key and that of its parent if they are valid. */
export type StoredLine = CsvRow & { key?: string | undefined; parent?: string | undefined }

export async function insertLines(
  tx: Tx,
  orgId: number,
  fileId: number,
  lines: readonly StoredLine[],
): Promise<void> {
  const rows = lines.map(({ line, cells, key, parent }) => ({
    line,
    cells,
    size: sizeOf({ cells }),
    external_key: key,
    parent_key: parent,
  }))
  await sql`
    insert into import_line (org_id, file_id, line, size, external_key, parent_key, cells)
    select ${orgId}, ${fileId}, line, size, external_key, parent_key, cells
    from jsonb_to_recordset(${await jsonInSlices(rows)}::jsonb)
      as given (line int, size int, external_key text, parent_key text, cells jsonb)`.execute(tx)
}

/** In characters. */
export const sizeOf = ({ cells }: Pick<CsvRow, 'cells'>): number =>
  cells.reduce((size, cell) => size + cell.length, 0)

/**
 * Gives each line its position, if a location comes before a parent that does not exist yet. Returns whether it did.
 * Nothing waits for a parent that exists, so files that only change locations keep their order.
 */
export async function orderLines(tx: Tx, orgId: number, fileId: number): Promise<boolean> {
  const children = await sql<Child>`
    select child.line, parent.line as parent from import_line as child
    cross join lateral (
      select line from import_line where org_id = ${orgId} and file_id = ${fileId} and external_key = child.parent_key
      order by line + 0 limit 1) as parent
    where child.org_id = ${orgId} and child.file_id = ${fileId} and child.parent_key is not null and not exists (
      select from location where org_id = ${orgId} and external_key = child.parent_key and deleted_at is null)`.execute(
    tx,
  )
  const waiting = waitingLines(children.rows)
  if (waiting.length === 0) return false
  await sql`
    update import_line as given set position = ordered.position, is_circular = ordered.is_circular
    from (
      select own.line, waiting.line is not null and waiting.after is null as is_circular,
             row_number() over (
               order by case when waiting.line is null then own.line else waiting.after end nulls last,
                        coalesce(waiting.depth, 0), own.line) as position
      from import_line as own
      left join jsonb_to_recordset(${await jsonInSlices(waiting)}::jsonb) as waiting (line int, after int, depth int)
        on waiting.line = own.line
      where own.org_id = ${orgId} and own.file_id = ${fileId}) as ordered
    where given.org_id = ${orgId} and given.file_id = ${fileId} and given.line = ordered.line`.execute(tx)
  return true
}

/** The rows after those that are done, up to both bounds, but at least one if there is one. */
export async function nextLines(
  db: Db,
  held: Pick<ImportRow, 'org_id' | 'file_id' | 'last_line' | 'is_reordered' | RowOutcome>,
  most: { lines: number; characters: number },
): Promise<(CsvRow & { is_circular: boolean })[]> {
  const { org_id, file_id, last_line, is_reordered } = held
  const place = sql.ref(is_reordered ? 'position' : 'line')
  const after = is_reordered ? rowsDone(held) : last_line
  const { rows } = await sql<CsvRow & { is_circular: boolean }>`
    select line, cells, is_circular from (
      select place, line, cells, is_circular, size, sum(size) over (order by place) as total
      from (select ${place} as place, line, cells, is_circular, size from import_line
            where org_id = ${org_id} and file_id = ${file_id} and ${place} > ${after}
            order by ${place} limit ${most.lines}) as next
    ) as counted
    where total <= ${most.characters} or total = size
    order by place`.execute(db)
  return rows
}

/** The first line with each of these keys. */
export async function findLines(
  db: Db,
  orgId: number,
  fileId: number,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; line: number }>`
    select wanted.key, found.line from unnest(${[...keys]}::text[]) as wanted (key)
    cross join lateral (
      select line from import_line
      where org_id = ${orgId} and file_id = ${fileId} and external_key = wanted.key
      order by line + 0 limit 1) as found`.execute(db)
  return new Map(rows.map(({ key, line }) => [key, line]))
}

/**
 * For each pair, the first line before `before` with this key. `line + 0` keeps the planner from reading the rest of the
 * file line by line for a key that may be missing.
 */
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
    insert into import_row (org_id, import_id, line, outcome, external_key, resource_id, changes, errors, warnings)
    select ${orgId}, ${importId}, line, outcome, external_key, id, changes, errors, warnings
    from jsonb_to_recordset(${await jsonInSlices(rows)}::jsonb)
      as given (line int, outcome text, external_key text, id bigint, changes jsonb, errors jsonb, warnings jsonb)`.execute(
    tx,
  )
}

type OutcomeFilter = { outcome?: readonly RowOutcome[] | undefined; warned?: boolean | undefined }

const matching = (orgId: number, importId: number, { outcome, warned }: OutcomeFilter) => sql`
  from import_row where org_id = ${orgId} and import_id = ${importId}
    ${outcome ? sql`and outcome = any(${[...outcome]}::text[])` : sql``}
    ${warned === undefined ? sql`` : sql`and (warnings <> '[]') = ${warned}`}`

/** The outcomes so far, by line. */
export async function listOutcomes(
  db: Db,
  orgId: number,
  importId: number,
  filter: OutcomeFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<ImportRowView[]> {
  const { rows } = await sql<ImportRowView>`
    select line, outcome, external_key, resource_id as id, changes, errors, warnings
    ${matching(orgId, importId, filter)} order by line limit ${limit} offset ${offset}`.execute(db)
  return rows
}

/** A file has at most a hundred thousand rows. */
export async function countOutcomes(
  db: Db,
  orgId: number,
  importId: number,
  filter: OutcomeFilter,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total ${matching(orgId, importId, filter)}`.execute(db)
  return rows[0]?.total ?? 0
}
