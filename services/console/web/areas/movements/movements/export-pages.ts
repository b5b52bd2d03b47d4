import { csvOf, CSV_HEAD } from './movement-csv.ts'
import type { Movement } from './use-movements.ts'

export const MOST_ROWS = 200_000

type Page = { data: readonly Movement[]; cursor: string | null }

/** The file of all movements, page by page: at most `most`, and then `isCut`. */
export async function exportPages(
  load: (after: string | undefined) => Promise<Page>,
  onRows: (rows: number) => void,
  most = MOST_ROWS,
): Promise<{ file: Blob; rows: number; isCut: boolean }> {
  const parts = [CSV_HEAD]
  let rows = 0
  let after: string | undefined
  do {
    // One after the other: each page has the cursor of the next.
    const { data, cursor } = await load(after)
    const taken = data.slice(0, most - rows)
    parts.push(csvOf(taken))
    rows += taken.length
    onRows(rows)
    after = cursor ?? undefined
    if (rows === most)
      return { file: fileOf(parts), rows, isCut: cursor !== null || taken.length < data.length }
  } while (after !== undefined)
  return { file: fileOf(parts), rows, isCut: false }
}

const fileOf = (parts: BlobPart[]) => new Blob(parts, { type: 'text/csv;charset=utf-8' })
