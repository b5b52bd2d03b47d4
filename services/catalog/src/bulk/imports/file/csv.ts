import type { ImportEncoding } from '@whereabouts/contracts/resources/catalog/imports'
import { CsvError, Parser, type Info } from 'csv-parse'
import { pipeline, Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { boundedRows, checkedPieces, firstLineWatch, lineEnds, refused, refusedLine } from './csv-bytes.ts'
import { FileDecoder } from './encoding.ts'

export type CsvRow = {
  /** The line where the row begins. The header is in line 1, or after empty lines. */
  line: number
  cells: string[]
}

/** A file whose header has been read. `rows` can be iterated once, and left at any time. */
export type CsvFile = {
  header: string[]
  rows: AsyncIterable<CsvRow, undefined>
  /** Certain once all rows were read. */
  encoding: () => ImportEncoding
}

/** Longer than any valid row: metadata, 200 tags and the rest, with everything escaped. */
const MAX_ROW_CHARACTERS = 1024 * 1024
/** Much longer than all column names. */
const MAX_HEADER_BYTES = 64 * 1024

/**
 * Reads CSV while it arrives: UTF-8, UTF-16 with a byte order mark or Windows-1252, any line ends, cells separated by
 * commas, semicolons or tabs. Skips what spreadsheets add: a first line `sep=;`, columns without a name and without
 * cells at the end, and empty rows. Throws `bad_request` for any other file, here or from `rows`.
 */
export async function readCsv(source: AsyncIterable<Buffer>): Promise<CsvFile> {
  const decoder = new FileDecoder()
  const pieces = checkedPieces(source, decoder)
  const head = await readHead(pieces)
  const delimiter = delimiterOf(Buffer.concat(head))
  const bytes = Readable.from(boundedRows(after(head, pieces), delimiter), { objectMode: false })
  const rows = parsed(bytes, delimiter)
  const first = await rows.next()
  if (first.done) throw refused('The file is empty; its first line must name the columns')
  return { header: first.value.cells, rows, encoding: () => decoder.encoding }
}

/** The beginning of the file, with the whole header unless it is too long. */
async function readHead(pieces: AsyncIterator<Buffer>): Promise<Buffer[]> {
  const read: Buffer[] = []
  const hasFirstLine = firstLineWatch()
  for (let bytes = 0; bytes <= MAX_HEADER_BYTES;) {
    const { done, value } = await pieces.next()
    if (done) break
    read.push(value)
    bytes += value.length
    if (hasFirstLine(value)) break
  }
  return read
}

async function* after(head: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for (const piece of head) {
    yield piece
    await setImmediate()
  }
  yield* rest
}

/** A first line that names the delimiter. Excel may fill it up with delimiters. */
const SEPARATOR_LINE = /^"?sep=([\t!#-/:-@[-^`{-~])"?\1*$/i

/** The one that the first line names, else the most frequent one of the header. No column name contains one. */
function delimiterOf(head: Buffer): string {
  const [header = ''] = head
    .toString()
    .trimStart()
    .split(/[\r\n]/, 1)
  const [, named] = SEPARATOR_LINE.exec(header) ?? []
  if (named !== undefined) return named
  const count = (delimiter: string) => header.split(delimiter).length
  return [',', ';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best))
}

/** Leaving the iteration ends the source. */
async function* parsed(bytes: Readable, delimiter: string): AsyncGenerator<CsvRow, undefined> {
  const tracker = new LineTracker()
  let columns: number | undefined
  const parser = new Parser({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_CHARACTERS,
    on_record: (cells, info) => {
      const line = tracker.next(cells, info)
      if (cells.every((cell) => cell === '')) return undefined
      if (columns === undefined && SEPARATOR_LINE.test(cells.join(delimiter))) return undefined
      columns ??= cells.findLastIndex((cell) => cell.trim() !== '') + 1
      const isWhole = cells.length >= columns && cells.slice(columns).every((cell) => cell === '')
      if (!isWhole) throw refusedLine(line, wrongCount(cells.length, columns))
      return [String(line), ...cells.slice(0, columns)]
    },
  })
  pipeline(bytes, parser, () => undefined) // the loop below throws the same error
  try {
    for await (const [line, ...cells] of parser as AsyncIterable<[string, ...string[]]>)
      yield { line: Number(line), cells }
  } catch (error) {
    throw error instanceof CsvError
      ? refusedLine(tracker.current(error as unknown as Info), worded(error))
      : error
  }
  return undefined
}

/** The line of each row. The parser counts line ends in quoted cells differently. */
class LineTracker {
  #nextLine = 1
  #emptyLines = 0

  /** The line of the row that the parser reads at `info`. */
  current({ empty_lines }: Pick<Info, 'empty_lines'>): number {
    return this.#nextLine + empty_lines - this.#emptyLines
  }

  /** The line of a row that has just been read. */
  next(cells: readonly string[], info: Info): number {
    const line = this.current(info)
    this.#nextLine = line + 1 + cells.reduce((ends, cell) => ends + lineEnds(cell), 0)
    this.#emptyLines = info.empty_lines
    return line
  }
}

const wrongCount = (cells: number, columns: number) =>
  `${counted(cells, 'cell')} where the header has ${counted(columns, 'column')}`
const counted = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`

function worded({ code }: CsvError): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quoted cell has no end'
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'a quoted cell is followed by something else than a delimiter; a quote inside is written twice'
    case 'INVALID_OPENING_QUOTE':
      return 'there is a quote in a cell that does not begin with one'
    case 'CSV_MAX_RECORD_SIZE':
      return 'the row is too long'
    default:
      return 'the row cannot be read'
  }
}
