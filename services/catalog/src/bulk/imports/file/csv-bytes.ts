import type { ImportEncoding } from '@whereabouts/contracts/resources/catalog/imports'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import type { FileDecoder } from './encoding.ts'

/** Any such piece is parsed in a few milliseconds. It has at most 4 096 rows. */
const PIECE_BYTES = 8 * 1024
/** Files have fewer than twenty columns. A limit in characters does not bound empty cells. */
const MAX_CELLS = 1_000

const [TAB, LF, CR, SPACE, QUOTE] = [0x09, 0x0a, 0x0d, 0x20, 0x22]

export const refused = (detail: string) => new AppError('bad_request', detail)
export const refusedLine = (line: number, problem: string) => refused(`Line ${line}: ${problem}`)

/** What a person does about a file that is not text. */
const SAVE_AGAIN = 'Save it in the spreadsheet as "CSV UTF-8", and send that file'

/**
 * Decodes the bytes in small pieces, and yields to the event loop between them. The pieces are UTF-8 without a byte order
 * mark. Fails at bytes that the encoding does not have, and at control characters, which no text has.
 */
export async function* checkedPieces(
  source: AsyncIterable<Buffer>,
  decoder: FileDecoder,
): AsyncGenerator<Buffer> {
  let line = 1
  const checked = (piece: Buffer, isLast = false): Buffer => {
    const text = decoded(decoder, piece, isLast, line)
    const at = controlIn(text, decoder.encoding)
    if (at !== -1) throw refusedLine(line + lineEnds(text.slice(0, at)), controlProblem(text, at))
    line += lineEnds(text)
    return Buffer.from(text)
  }
  for await (const piece of inPieces(source)) yield checked(piece)
  yield checked(Buffer.alloc(0), true)
}

function decoded(decoder: FileDecoder, piece: Buffer, isLast: boolean, line: number): string {
  try {
    return decoder.decode(piece, isLast)
  } catch {
    const { encoding } = decoder
    const near = line + (encoding === 'utf-8' ? brokenLine(piece) : 0)
    throw refused(`The file is not ${encoding.toUpperCase()} (near line ${near}). ${SAVE_AGAIN}`)
  }
}

/** Labels of health care, food and cars have these inside barcodes, so cells decide about them. */
const SEPARATORS: ReadonlySet<number> = new Set([0x04, 0x1c, 0x1d, 0x1e, 0x1f])

/** Where the first character is that no text has. Bytes that Windows-1252 does not define are read as U+0080 to U+009F. */
function controlIn(text: string, encoding: ImportEncoding): number {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const isControl = code < SPACE && code !== TAB && code !== LF && code !== CR && !SEPARATORS.has(code)
    if (isControl || (encoding === 'windows-1252' && code >= 0x80 && code <= 0x9f)) return at
  }
  return -1
}

function controlProblem(text: string, at: number): string {
  const code = text.charCodeAt(at)
  const name = code === 0 ? 'NUL' : `control`
  const number = code.toString(16).toUpperCase().padStart(4, '0')
  return `there is a ${name} character (U+${number}), so the file is not text. ${SAVE_AGAIN}`
}

async function* inPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      yield chunk.subarray(at, at + PIECE_BYTES)
      await setImmediate()
    }
  }
}

/** The number of line ends. CR LF counts once. */
export function lineEnds(text: string): number {
  let ends = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) ends += 1
  }
  return ends
}

/** The number of line ends before the first invalid line. The first line may have begun in an earlier piece. */
function brokenLine(piece: Buffer): number {
  const lines = piece.toString('latin1').split(/\r\n|\n|\r/)
  return Math.max(
    0,
    lines.findIndex((text, i) => i > 0 && !isUtf8(Buffer.from(text, 'latin1'))),
  )
}

const isBlank = (byte: number | undefined) =>
  byte === SPACE || (byte !== undefined && byte >= TAB && byte <= CR)

/**
 * Returns a function that takes the pieces of a file in order, and returns true at the end of the first line with
 * text.
 */
export function firstLineWatch(): (piece: Buffer) => boolean {
  let hasBegun = false
  return (piece) => {
    let at = 0
    if (!hasBegun) {
      while (isBlank(piece[at])) at += 1
      hasBegun = at < piece.length
    }
    return hasBegun && (piece.indexOf(LF, at) !== -1 || piece.indexOf(CR, at) !== -1)
  }
}

/**
 * Passes pieces on, and fails if a row has too many cells. The parser would keep all of them: sixty million of a file
 * of commas. Only counts quotes: the parser refuses rows with unpaired ones.
 */
export async function* boundedRows(pieces: AsyncIterable<Buffer>, delimiter: string): AsyncGenerator<Buffer> {
  const separator = delimiter.charCodeAt(0)
  let cells = 1
  let isQuoted = false
  let line = 1
  let rowLine = 1
  let before = 0
  for await (const piece of pieces) {
    for (const byte of piece) {
      if (byte === LF || byte === CR) {
        if (byte === CR || before !== CR) line += 1
        if (!isQuoted) [cells, rowLine] = [1, line]
      } else if (byte === QUOTE) isQuoted = !isQuoted
      else if (byte === separator && !isQuoted && (cells += 1) > MAX_CELLS)
        throw refusedLine(rowLine, `there are more than ${MAX_CELLS} cells`)
      before = byte
    }
    yield piece
  }
}
