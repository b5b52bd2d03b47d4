import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { zstdCompressSync } from 'node:zlib'
import type { Batch, Column, Value } from '../batch.ts'

/**
 * A Parquet file with a row group per batch, compressed with zstd, which halves what snappy leaves. Only the index of the
 * row groups is kept until the end of the file: about a kilobyte for each.
 */
export async function* parquetBytes(
  columns: readonly Column[],
  batches: AsyncIterable<Batch>,
): AsyncGenerator<Buffer> {
  const bytes = new ByteWriter()
  const file = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'export', num_children: columns.length }, ...columns.map(elementOf)],
    codec: 'ZSTD',
    compressors: { ZSTD: (input) => zstdCompressSync(input) },
    createdBy: 'Whereabouts',
  })
  for await (const { rows, columns: values } of batches) {
    const columnData = columns.map(({ name, type }, at) => ({ name, data: stored(type, values[at] ?? []) }))
    void file.write({ columnData, rowGroupSize: rows }) // without a promise, because the writer is in memory
    yield taken(bytes)
  }
  void file.finish()
  yield taken(bytes)
}

/** Copies what was written, and begins at the start of the buffer again. Offsets in the file go on. */
function taken(bytes: ByteWriter): Buffer {
  const copy = Buffer.from(bytes.getBytes())
  bytes.index = 0
  return copy
}

const types = {
  id: { type: 'INT64' },
  count: { type: 'INT32' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  instant: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
} as const satisfies Record<Column['type'], Partial<SchemaElement>>

const elementOf = ({ name, type }: Column): SchemaElement => ({
  name,
  repetition_type: 'OPTIONAL',
  ...types[type],
})

/** 64-bit values are bigints there. */
const stored = (type: Column['type'], values: readonly Value[]): (bigint | Value)[] =>
  types[type].type === 'INT64'
    ? values.map((value) => (typeof value === 'number' ? BigInt(value) : null))
    : [...values]
