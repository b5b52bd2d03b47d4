import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'

/** Any such piece is parsed in a few milliseconds. It has at most 4 096 rows. */
const PIECE_BYTES = 8 * 1024
/** Files have fewer than twenty columns. A limit in characters does not bound empty cells. */
const MAX_CELLS = 1_000

const [TAB, LF, CR, SPACE, QUOTE] = [0x09, 0x0a, 0x0d, 0x20, 0x22]

export const refused = (detail: string) => new AppError('bad_request', detail)
export const refusedLine = (line: number, problem: string) => refused(`Line ${line}: ${problem}`)

/**
 * Splits the bytes into small pieces, and yields to the event loop between them. Fails at bytes that are not UTF-8,
 * and at NUL, which no cell may contain.
 */
export async function* checkedPieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  const decode = (piece: Buffer, isLast = false) => {
    try {
      return decoder.decode(piece, { stream: !isLast })
    } catch {
      throw refused(`The file is not UTF-8 (near line ${line + brokenLine(piece)})`)
    }
  }
  for await (const piece of inPieces(source)) {
    const text = decode(piece)
    const at = text.indexOf('\0')
    if (at !== -1) throw refusedLine(line + lineEnds(text.slice(0, at)), 'there is a NUL character')
    line += lineEnds(text)
    yield piece
  }
  decode(Buffer.alloc(0), true)
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

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Returns a function that takes the pieces of a file in order, and returns true at the end of the first line with
 * text.
 */
export function firstLineWatch(): (piece: Buffer) => boolean {
  let hasBegun = false
  return (piece) => {
    let at = 0
    if (!hasBegun) {
      if (piece.subarray(0, 3).equals(BYTE_ORDER_MARK)) at = 3
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
