/** How a column is written: `id` and `count` are whole numbers, `instant` is milliseconds since 1970. */
export type Column = { name: string; type: 'id' | 'count' | 'text' | 'instant' }

export type Value = number | string | null

/** Rows as one list per column, in the order of the columns, because that is how they are read and how Parquet stores them. */
export type Batch = { rows: number; columns: readonly (readonly Value[])[] }

/**
 * Rows of a batch. Encoding one takes less than 25 ms, for which the event loop serves nothing else (S2); it is also a row
 * group of Parquet.
 */
export const BATCH_ROWS = 10_000
