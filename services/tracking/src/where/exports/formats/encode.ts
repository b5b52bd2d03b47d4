import type { ExportFormat } from '@whereabouts/contracts/resources/tracking/exports'
import { Readable, pipeline } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import type { Batch, Column } from '../batch.ts'
import { csvLines, jsonLines } from './lines.ts'
import { parquetBytes } from './parquet.ts'

/** The ends of the names of the files. Texts are compressed, and tools read them as they are. */
export const extensions: Readonly<Record<ExportFormat, string>> = {
  csv: 'csv.gz',
  ndjson: 'ndjson.gz',
  parquet: 'parquet',
}

/** The bytes of a file. An error of `batches` comes out of the iteration. */
export function encode(
  format: ExportFormat,
  columns: readonly Column[],
  batches: AsyncIterable<Batch>,
): AsyncIterable<Buffer> {
  if (format === 'parquet') return parquetBytes(columns, batches)
  const lines = format === 'csv' ? csvLines(columns, batches) : jsonLines(columns, batches)
  // In a thread of its own. The fastest level: files of history repeat themselves, so a better one saves little.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED })
  return pipeline(Readable.from(lines, { highWaterMark: 1 }), gzip, () => undefined) // who iterates gets the error
}
