import {
  MAX_IMPORT_ROWS,
  type FileColumn,
  type ImportResource,
} from '@whereabouts/contracts/resources/catalog/imports'
import { NaturalKey } from '@whereabouts/contracts/rules/text'
import { unescapeFormula } from '@whereabouts/service-kit/http/csv'
import { bodyEndedEarly } from '@whereabouts/service-kit/errors/errors'
import { tooManyRows } from '../../errors.ts'
import type { RunInTransaction } from '../../changes/transactions/transactions.ts'
import { readHeader } from './file/columns.ts'
import { readCsv, type CsvRow } from './file/csv.ts'
import {
  admitImport,
  beginUpload,
  finishUpload,
  removeImport,
  renewUpload,
  type ImportRow,
} from './imports.queries.ts'
import { insertLines, sizeOf, type StoredLine } from './lines.queries.ts'

export type Upload = {
  orgId: number
  resource: ImportResource
  dryRun: boolean
  createdBy: number | null
  bytes: AsyncIterable<Buffer>
}

/**
 * Stores a file while it arrives, and returns the import when it is complete. Holds no database connection between
 * batches. Throws if the file is invalid. Then it removes the import, or the lease expires if that fails.
 */
export async function receiveImport(runInTransaction: RunInTransaction, upload: Upload): Promise<ImportRow> {
  const { orgId, resource, dryRun, createdBy } = upload
  const { header, rows } = await readCsv(upload.bytes)
  const columns = readHeader(resource, header)
  const newUpload = { resource, dry_run: dryRun, columns, created_by: createdBy }
  const id = await runInTransaction(orgId, async (tx) => {
    await admitImport(tx, orgId, createdBy)
    return beginUpload(tx, orgId, newUpload)
  })
  try {
    return await storeFile(runInTransaction, orgId, id, withKeys(rows, columns))
  } catch (error) {
    await runInTransaction(orgId, (tx) => removeImport(tx, orgId, id)).catch(() => undefined)
    throw error
  }
}

async function storeFile(
  runInTransaction: RunInTransaction,
  orgId: number,
  id: number,
  lines: AsyncIterable<StoredLine>,
): Promise<ImportRow> {
  let total = 0
  for await (const batch of inBatches(lines)) {
    total += batch.length
    if (total > MAX_IMPORT_ROWS) throw tooManyRows()
    await runInTransaction(orgId, async (tx) => {
      if (!(await renewUpload(tx, orgId, id))) throw bodyEndedEarly()
      await insertLines(tx, orgId, id, batch)
    })
  }
  const stored = await runInTransaction(orgId, (tx) => finishUpload(tx, orgId, id, total))
  if (!stored) throw bodyEndedEarly()
  return stored
}

/** Adds the key: each key may come once, and an earlier row may name a location as a parent. */
async function* withKeys(
  rows: AsyncIterable<CsvRow>,
  columns: readonly FileColumn[],
): AsyncGenerator<StoredLine> {
  const at = columns.indexOf('external_key')
  for await (const row of rows) {
    const key = unescapeFormula(row.cells[at] ?? '')
    yield NaturalKey.safeParse(key).success ? { ...row, key } : row
  }
}

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
