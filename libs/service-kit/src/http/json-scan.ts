/**
 * Scans the text of JSON before JSON.parse, which keeps no literals and cannot be interrupted. A reviver with
 * `context.source` would replace most of this file, but takes 84 to 189 ms for a mebibyte of short numbers, in which nothing
 * else is served; the scan takes 3 to 16 ms. A reviver also overflows the stack for deep texts.
 */

export type JsonPath = readonly (string | number)[]

/** An integer that a double cannot hold exactly, and its path. */
export type LargeInteger = { path: JsonPath; literal: string }

/** Why a text should not be parsed. */
export type JsonRefusal = 'depth' | 'names' | 'values'

export type JsonScan = {
  refusal: JsonRefusal | undefined
  /** The first hundred large integers, see `within` of `scanJson`. */
  integers: readonly LargeInteger[]
}

/** Our bodies have at most about forty levels. V8 takes 60 ms for a mebibyte of brackets. */
export const MAX_DEPTH = 1_000
/** Twice as many as the largest metadata can have. A hundred thousand take 60 ms to parse and 200 ms to refuse. */
export const MAX_NAMES = 20_000
/** Four times as many as the largest metadata can have, and more than a mebibyte of tags has. */
export const MAX_VALUES = 130_000
const MAX_INTEGERS = 100

const [QUOTE, COMMA, MINUS, DOT, COLON, BACKSLASH] = [0x22, 0x2c, 0x2d, 0x2e, 0x3a, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * 2^53 - 1 has 16 digits. A literal of more than 310 digits is not a finite number, which the parsed value shows too.
 */
const [MIN_DIGITS, MAX_DIGITS] = [16, 310]

/**
 * Takes linear time, without recursion, and never throws. For text that is not JSON the result means nothing:
 * JSON.parse refuses the text. `within` names the member whose integers are collected; undefined collects all.
 */
export function scanJson(text: string, within: string | undefined): JsonScan {
  return new Scan(text, within).run()
}

/** An open object, with the place of its current member's name, or an open list, with its current index. */
type Level = { isObject: boolean; from: number; to: number; index: number; isCollected: boolean }

const newLevel = (): Level => ({ isObject: false, from: 0, to: 0, index: 0, isCollected: false })

class Scan {
  readonly #text: string
  readonly #within: string | undefined
  /** Levels are reused: a mebibyte may open half a million lists. */
  readonly #levels: Level[] = []
  readonly #names = new Set<string>()
  readonly #integers: LargeInteger[] = []
  #depth = 0
  #values = 1
  /** The innermost open level; undefined outside of all levels. */
  #level: Level | undefined
  #isName = false

  constructor(text: string, within: string | undefined) {
    this.#text = text
    this.#within = within
  }

  run(): JsonScan {
    const text = this.#text
    let refusal: JsonRefusal | undefined
    for (let at = 0; at < text.length && refusal === undefined; at += 1) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) at = this.#string(at)
      else if (code === COMMA) this.#next()
      else if (code === COLON) this.#isName = false
      else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#open(code === OPEN_OBJECT)
      else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#close()
      else if (code === MINUS || isDigit(code)) at = this.#number(at)
      else continue
      refusal = this.#refusal()
    }
    return { refusal, integers: this.#integers }
  }

  #refusal(): JsonRefusal | undefined {
    if (this.#depth > MAX_DEPTH) return 'depth'
    if (this.#names.size > MAX_NAMES) return 'names'
    return this.#values > MAX_VALUES ? 'values' : undefined
  }

  #open(isObject: boolean): void {
    const isCollected = this.#isCollected()
    const level = (this.#levels[this.#depth] ??= newLevel())
    level.isObject = isObject
    level.index = 0
    level.isCollected = isCollected
    this.#depth += 1
    this.#values += 1
    this.#level = level
    this.#isName = isObject
  }

  /** Whether integers in the next value are collected. */
  #isCollected(): boolean {
    const level = this.#level
    if (this.#within === undefined || level?.isCollected) return true
    return level?.isObject === true && this.#nameOf(level) === this.#within
  }

  #close(): void {
    if (this.#depth > 0) this.#depth -= 1
    this.#level = this.#levels[this.#depth - 1]
    this.#isName = false
  }

  #next(): void {
    this.#values += 1
    const level = this.#level
    if (!level) return
    if (level.isObject) this.#isName = true
    else level.index += 1
  }

  /** Returns the position of the closing quote. */
  #string(start: number): number {
    let end = start + 1
    for (; end < this.#text.length; end += 1) {
      const code = this.#text.charCodeAt(end)
      if (code === QUOTE) break
      if (code === BACKSLASH) end += 1
    }
    const level = this.#level
    if (!this.#isName || !level) return end
    level.from = start
    level.to = end + 1
    this.#names.add(this.#text.slice(start + 1, end))
    return end
  }

  #number(start: number): number {
    let end = start + 1
    while (isDigit(this.#text.charCodeAt(end))) end += 1
    const isInteger = !isFractional(this.#text.charCodeAt(end))
    const digits = end - start
    if (isInteger && digits >= MIN_DIGITS && digits <= MAX_DIGITS && this.#integers.length < MAX_INTEGERS)
      this.#keep(this.#text.slice(start, end))
    return end - 1
  }

  #keep(literal: string): void {
    if (!Number.isSafeInteger(Number(literal)) && this.#isCollected())
      this.#integers.push({ path: this.#path(), literal })
  }

  #path(): JsonPath {
    return this.#levels
      .slice(0, this.#depth)
      .map((level) => (level.isObject ? this.#nameOf(level) : level.index))
  }

  /** Names rarely have escapes. A malformed name gives '', because JSON.parse will refuse the text. */
  #nameOf({ from, to }: Level): string {
    const quoted = this.#text.slice(from, to)
    if (!quoted.includes('\\')) return quoted.slice(1, -1)
    try {
      return String(JSON.parse(quoted))
    } catch {
      return ''
    }
  }
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39
/** A decimal point or an exponent. */
const isFractional = (code: number) => code === DOT || (code | 0x20) === 0x65
