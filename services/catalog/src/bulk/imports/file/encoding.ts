import type { ImportEncoding } from '@whereabouts/contracts/resources/catalog/imports'
import { TextDecoder } from 'node:util'

/** The longest sequence of UTF-8. */
const LONGEST = 4
const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Decodes a file while it arrives. A byte order mark says what it is. Without one, the first character that is not ASCII
 * decides: a file of UTF-8 has no byte before it that another encoding would read differently. `decode` throws a
 * `TypeError` at bytes that the encoding does not have.
 */
export class FileDecoder {
  encoding: ImportEncoding = 'utf-8'
  #decoder: TextDecoder | undefined
  #pending: Buffer = Buffer.alloc(0)
  #isStart = true

  decode(piece: Buffer, isLast = false): string {
    if (this.#decoder) return this.#decoder.decode(piece, { stream: !isLast })
    const bytes = Buffer.concat([this.#pending, piece])
    const at = bytes.findIndex((byte) => byte > 127)
    const ascii = bytes.subarray(0, at === -1 ? bytes.length : at)
    this.#pending = bytes.subarray(ascii.length)
    const isStart = this.#isStart && ascii.length === 0
    this.#isStart = isStart
    const needsMore = this.#pending.length < LONGEST && !isLast
    if (at === -1 || needsMore) return ascii.toString('latin1')
    this.encoding = (isStart ? markedEncoding(this.#pending) : undefined) ?? encodingAt(this.#pending)
    this.#decoder = new TextDecoder(this.encoding, { fatal: true, ignoreBOM: true })
    const text = this.#decoder.decode(this.#pending, { stream: !isLast })
    return ascii.toString('latin1') + (isStart && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  }
}

function markedEncoding([first, second]: Buffer): ImportEncoding | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

/** Of bytes that begin with a character that is not ASCII. */
function encodingAt(bytes: Buffer): ImportEncoding {
  const lead = bytes[0] ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length))
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}
