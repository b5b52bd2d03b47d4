import type { RowError } from '@whereabouts/contracts/resources/catalog/imports'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import type { ImportRow } from '../imports/imports.queries.ts'

/** `cells` is null if a release before this one finished the import: it deleted the lines. */
export type FailedRow = {
  line: number
  external_key: string | null
  cells: string[] | null
  errors: RowError[]
}

const MAX = { rows: 200, characters: 1024 * 1024 }

/** The next failed rows after line `after`, at least one if there is one. A row may have a megabyte. */
export async function nextFailedRows(
  db: Db,
  { org_id, id, file_id }: Pick<ImportRow, 'org_id' | 'id' | 'file_id'>,
  after: number,
): Promise<FailedRow[]> {
  const { rows } = await sql<FailedRow>`
    select line, external_key, cells, errors from (
      select line, external_key, cells, errors, size, sum(size) over (order by line) as total
      from (select failed.line, failed.external_key, failed.errors, given.cells, coalesce(given.size, 0) as size
            from import_row as failed
            left join import_line as given
              on given.org_id = ${org_id} and given.file_id = ${file_id} and given.line = failed.line
            where failed.org_id = ${org_id} and failed.import_id = ${id} and failed.outcome = 'failed'
              and failed.line > ${after}
            order by failed.line limit ${MAX.rows}) as next
    ) as counted
    where total <= ${MAX.characters} or total = size
    order by line`.execute(db)
  return rows
}
