import {
  MAX_IMPORT_ROWS,
  type EmptyCells,
  type FileColumn,
  type ImportResource,
} from '@whereabouts/contracts/resources/catalog/imports'
import { NaturalKey } from '@whereabouts/contracts/rules/text'
import { unescapeFormula } from '@whereabouts/service-kit/http/csv'
import { bodyEndedEarly } from '@whereabouts/service-kit/errors/errors'
import { tooManyRows } from '../../errors.ts'
import type { RunInTransaction } from '../../changes/transactions/transactions.ts'
import { readHeader, type Assignments } from './file/columns.ts'
import { readCsv, type CsvRow } from './file/csv.ts'
import {
  admitImport,
  auditImport,
  beginUpload,
  finishUpload,
  removeImport,
  renewUpload,
  type ImportRow,
} from './imports.queries.ts'
import { insertLines, orderLines, sizeOf, type StoredLine } from './lines.queries.ts'

export type Upload = {
  orgId: number
  resource: ImportResource
  dryRun: boolean
  emptyCells: EmptyCells
  assignments: Assignments
  createdBy: number | null
  bytes: AsyncIterable<Buffer>
}

/**
 * Stores a file while it arrives, and returns the import when it is complete. Holds no database connection between
 * batches. Throws if the file is invalid. Then it removes the import, or the lease expires if that fails.
 */
export async function receiveImport(runInTransaction: RunInTransaction, upload: Upload): Promise<ImportRow> {
  const { orgId, resource, dryRun, emptyCells, createdBy } = upload
  const { header, rows, encoding } = await readCsv(upload.bytes)
  const { columns, places, ignored } = readHeader(resource, header, upload.assignments)
  const newUpload = {
    resource,
    dry_run: dryRun,
    empty_cells: emptyCells,
    columns,
    unread_columns: ignored,
    created_by: createdBy,
  }
  const names = new FirstNames()
  const id = await runInTransaction(orgId, async (tx) => {
    await admitImport(tx, orgId, createdBy)
    return beginUpload(tx, orgId, newUpload)
  })
  try {
    const total = await storeLines(runInTransaction, orgId, id, storedLines(rows, columns, places, names))
    return await runInTransaction(orgId, async (tx) => {
      const is_reordered = columns.includes('parent_external_key') && (await orderLines(tx, orgId, id))
      const read = { rows_total: total, encoding: encoding(), first_names: names.shown, is_reordered }
      const stored = await finishUpload(tx, orgId, id, read)
      if (!stored) throw bodyEndedEarly()
      await auditImport(tx, 'create', stored)
      return stored
    })
  } catch (error) {
    await runInTransaction(orgId, (tx) => removeImport(tx, orgId, id)).catch(() => undefined)
    throw error
  }
}

async function storeLines(
  runInTransaction: RunInTransaction,
  orgId: number,
  id: number,
  lines: AsyncIterable<StoredLine>,
): Promise<number> {
  let total = 0
  for await (const batch of inBatches(lines)) {
    total += batch.length
    if (total > MAX_IMPORT_ROWS) throw tooManyRows()
    await runInTransaction(orgId, async (tx) => {
      if (!(await renewUpload(tx, orgId, id))) throw bodyEndedEarly()
      await insertLines(tx, orgId, id, batch)
    })
  }
  return total
}

/** The cells that are read. With the key, which may come once, and the parent, which comes before what it holds. */
async function* storedLines(
  rows: AsyncIterable<CsvRow>,
  columns: readonly FileColumn[],
  places: readonly number[],
  names: FirstNames,
): AsyncGenerator<StoredLine> {
  const cellOf = (cells: readonly string[], column: FileColumn) =>
    unescapeFormula(cells[columns.indexOf(column)] ?? '')
  const keyOf = (text: string) => (NaturalKey.safeParse(text).success ? text : undefined)
  for await (const { line, cells: all } of rows) {
    const cells = places.map((place) => all[place] ?? '')
    names.add(cellOf(cells, 'name'))
    const [key, parent] = [cellOf(cells, 'external_key'), cellOf(cells, 'parent_external_key')]
    yield { line, cells, key: keyOf(key), parent: keyOf(parent) }
  }
}

/** Names from which a person sees whether the encoding is right. */
class FirstNames {
  readonly #first: string[] = []
  readonly #telling: string[] = []

  add(name: string): void {
    if (name === '') return
    if (this.#first.length < FirstNames.count) this.#first.push(shortened(name))
    if (this.#telling.length < FirstNames.count && /[^\0-\x7f]/.test(name))
      this.#telling.push(shortened(name))
  }

  get shown(): string[] {
    return this.#telling.length > 0 ? this.#telling : this.#first
  }

  static readonly count = 3
}

/** A cell may be very long. */
const shortened = (name: string) => name.slice(0, 255).toWellFormed()

const BATCH = { lines: 500, characters: 1024 * 1024 }

async function* inBatches(lines: AsyncIterable<StoredLine>): AsyncGenerator<StoredLine[]> {
  let batch: StoredLine[] = []
  let characters = 0
  for await (const line of lines) {
    batch.push(line)
    characters += sizeOf(line)
    if (batch.length < BATCH.lines && characters < BATCH.characters) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}
