import { MAX_FRAMES } from './limits.ts'

/** Stands for a frame that is no JSON; a symbol, since any other value may come out of parsing. */
export const MALFORMED = Symbol('malformed JSON')

/**
 * A refused JSON.parse costs about 4 µs, so a message made of tiny broken lines would occupy the process for a
 * second per MiB. After this many the rest of the message counts as part of the last broken frame.
 */
const MAX_BROKEN_FRAMES = 1000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const TAB = 0x09

/**
 * The JSON texts of one message, in order, MALFORMED standing for broken ones: the whole body, or line by line,
 * or several values glued together in a line. Blank lines are keep-alives and no frames. When nothing parses, the
 * body is one broken frame. Linear in the length of the body; ends with the first frame beyond `MAX_FRAMES`.
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

/** Broken sequences become U+FFFD: a Bluetooth name in some other encoding must not cost the whole message. */
function decodeUtf8(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return MALFORMED // the text of the error says nothing the code does not
  }
}

/** Appends the values of a line to `frames`. False when the line ended in a broken one, which is appended too. */
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

/** The index behind the value starting at `start`, or -1 when it does not end (or starts with no value). */
function endOfValue(line: string, start: number): number {
  const first = line[start]
  if (first === '"') return endOfString(line, start)
  return first === '{' || first === '[' ? endOfBrackets(line, start) : endOfScalar(line, start)
}

/** Only counts brackets, of whichever kind: a `{]` is left to JSON.parse. No recursion, so depth costs nothing. */
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
