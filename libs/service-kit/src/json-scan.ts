/** A look at the text of JSON before, or beside, JSON.parse, which keeps no literals and cannot be interrupted. */

export type JsonPath = readonly (string | number)[]

/** An integer that no double holds exactly, and where it stands. */
export type LargeInteger = { path: JsonPath; literal: string }

/** Why a text should not be parsed at all. */
export type JsonRefusal = 'depth' | 'names' | 'values'

export type JsonScan = {
  refusal: JsonRefusal | undefined
  /** Those below a member called `metadata`; the first hundred. */
  integers: readonly LargeInteger[]
}

/** Nothing of ours is nested deeper than some forty levels, and V8 takes 60 ms for a mebibyte of brackets. */
export const MAX_DEPTH = 1_000
/** Twice as many as the largest metadata can hold. A hundred thousand take 60 ms to parse and 200 ms to refuse. */
export const MAX_NAMES = 20_000
/** Four times as many as the largest metadata can hold, and more than a mebibyte of tags does. */
export const MAX_VALUES = 130_000
const MAX_INTEGERS = 100

const [QUOTE, COMMA, MINUS, DOT, COLON, BACKSLASH] = [0x22, 0x2c, 0x2d, 0x2e, 0x3a, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Of integers up to 2^53 - 1. Longer than 310 digits is no finite number, which shows after parsing too. */
const [MIN_DIGITS, MAX_DIGITS] = [16, 310]

/**
 * Linear, without recursion, and total: of text that is not JSON it tells something or other, which JSON.parse then
 * refuses. `within` is the member whose integers are looked at; undefined: all of them.
 */
export function scanJson(text: string, within: string | undefined): JsonScan {
  return new Scan(text, within).run()
}

/** Of each open object or list: where the name of the member stands, or which item it is. */
type Level = { isObject: boolean; from: number; to: number; index: number; isWatched: boolean }

const newLevel = (): Level => ({ isObject: false, from: 0, to: 0, index: 0, isWatched: false })

class Scan {
  readonly #text: string
  readonly #within: string | undefined
  /** Levels are used again: a mebibyte may open half a million lists. */
  readonly #levels: Level[] = []
  readonly #names = new Set<string>()
  readonly #integers: LargeInteger[] = []
  #depth = 0
  #values = 1
  /** Undefined outside of all of them. */
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
    const isWatched = this.#isWatched()
    const level = (this.#levels[this.#depth] ??= newLevel())
    level.isObject = isObject
    level.index = 0
    level.isWatched = isWatched
    this.#depth += 1
    this.#values += 1
    this.#level = level
    this.#isName = isObject
  }

  /** Whether the value that comes next lies within the member that is looked at. */
  #isWatched(): boolean {
    const level = this.#level
    if (this.#within === undefined || level?.isWatched) return true
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

  /** Answers where the string ends. */
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
    if (!Number.isSafeInteger(Number(literal)) && this.#isWatched())
      this.#integers.push({ path: this.#path(), literal })
  }

  #path(): JsonPath {
    return this.#levels
      .slice(0, this.#depth)
      .map((level) => (level.isObject ? this.#nameOf(level) : level.index))
  }

  /** Names seldom have escapes in them; of a broken one nothing will be made. */
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
/** A point or an exponent. */
const isFractional = (code: number) => code === DOT || (code | 0x20) === 0x65
