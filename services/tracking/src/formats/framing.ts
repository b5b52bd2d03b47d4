import { MAX_FRAMES } from './limits.ts'

/** A frame that is not JSON. A symbol, because parsing may return any other value. */
export const MALFORMED = Symbol('malformed JSON')

/**
 * A JSON.parse that fails takes about 4 µs, so that a message of tiny broken lines would block the process for a
 * second per MiB. After this many, the rest of the message belongs to the last broken frame.
 */
const MAX_BROKEN_FRAMES = 1000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const TAB = 0x09

/**
 * The JSON values of one message, in order, with MALFORMED for broken ones: the whole body, or one per line, or
 * several glued together in a line. Blank lines are keep-alives, not frames. If nothing parses, the body is one
 * broken frame. Linear in the length of the body; ends with the first frame beyond `MAX_FRAMES`.
 */
export function readFrames(bytes: Uint8Array): unknown[] {
  const text = decodeUtf8(bytes)
  const whole = parseJson(text)
  if (whole !== MALFORMED) return [whole]
  const frames: unknown[] = []
  let broken = 0
  for (const line of text.split(/[\r\n]+/)) {
    if (frames.length > MAX_FRAMES) return frames
    if (readLine(line, frames)) continue
    broken += 1
    if (broken === MAX_BROKEN_FRAMES) break
  }
  return broken > 0 && broken === frames.length ? [MALFORMED] : frames
}

/** Broken sequences become U+FFFD: a Bluetooth name in another encoding must not make the whole message unusable. */
function decodeUtf8(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return MALFORMED // the message of the error adds nothing
  }
}

/** Appends the values of a line to `frames`. False if the last one is broken, which is appended too. */
function readLine(line: string, frames: unknown[]): boolean {
  let start = skipBlanks(line, 0)
  while (start < line.length && frames.length <= MAX_FRAMES) {
    const end = endOfValue(line, start)
    const value = end === -1 ? MALFORMED : parseJson(line.slice(start, end))
    frames.push(value)
    if (value === MALFORMED) return false
    start = skipBlanks(line, end)
  }
  return true
}

function skipBlanks(line: string, from: number): number {
  let at = from
  while (line.charCodeAt(at) === SPACE || line.charCodeAt(at) === TAB) at += 1
  return at
}

/** The index after the value that starts at `start`; -1 if there is no value or it does not end. */
function endOfValue(line: string, start: number): number {
  const first = line[start]
  if (first === '"') return endOfString(line, start)
  return first === '{' || first === '[' ? endOfBrackets(line, start) : endOfScalar(line, start)
}

/** Counts brackets without their kind: JSON.parse refuses a `{]`. Without recursion, so that depth costs nothing. */
function endOfBrackets(line: string, start: number): number {
  let depth = 0
  for (let at = start; at < line.length; at += 1) {
    const code = line.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(line, at)
      if (end === -1) return -1
      at = end - 1
    } else if (code === 0x7b || code === 0x5b) depth += 1
    else if (code === 0x7d || code === 0x5d) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return -1
}

function endOfString(line: string, start: number): number {
  for (let at = start + 1; at < line.length; at += 1) {
    const code = line.charCodeAt(at)
    if (code === BACKSLASH) at += 1
    else if (code === QUOTE) return at + 1
  }
  return -1
}

function endOfScalar(line: string, start: number): number {
  const scalar = /[-+.\w]+/y
  scalar.lastIndex = start
  return scalar.test(line) ? scalar.lastIndex : -1
}
