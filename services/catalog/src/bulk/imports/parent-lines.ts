import type { RowError } from '@whereabouts/contracts/resources/catalog/imports'
import type { Tx } from '../../db.ts'
import type { RowInput } from '../plan/row-input.ts'
import type { ImportRow } from './imports.queries.ts'
import { findLines } from './lines.queries.ts'
import type { Planned } from '../plan/plan.ts'

type Batch = {
  rows: readonly RowInput[]
  /** The lines whose parents lead back to themselves. */
  circular: ReadonlySet<number>
}

/** If a missing parent is in the file, the error says in which line, and why that did not help. */
export async function withParentLines(
  tx: Tx,
  { org_id, file_id }: Pick<ImportRow, 'org_id' | 'file_id'>,
  { rows, circular }: Batch,
  planned: readonly Planned[],
): Promise<readonly Planned[]> {
  const isMissing = ({ code }: RowError) => code === 'fk_not_found'
  const parentOf = (i: number) => rows[i]?.fields.parent_external_key ?? ''
  const orphans = planned.flatMap(({ errors }, i) => (errors.some(isMissing) ? [parentOf(i)] : []))
  if (orphans.length === 0) return planned
  const lines = await findLines(tx, org_id, file_id, orphans)
  return planned.map((row, i) => {
    const line = lines.get(parentOf(i))
    if (line === undefined) return row
    const reason = circular.has(row.line)
      ? `the parents form a circle in the file, by way of line ${line}`
      : `line ${line} of the file did not create it`
    const explained = (error: RowError) =>
      isMissing(error) ? { ...error, message: `${error.message} yet: ${reason}` } : error
    return { ...row, errors: row.errors.map(explained) }
  })
}
