/** A reader finds up to as many with one look. */
const MOST_ONES = 23

/** Writes numbers one after the other without bytes between them. */
export class BitWriter {
  #bytes = new Uint8Array(1_024)
  #length = 0

  /** The lowest `count` bits of a number, at most 24. */
  bits(value: number, count: number): void {
    const end = this.#length + count
    if (end + 32 > this.#bytes.length * 8) this.#grow(end)
    let at = this.#length >> 3
    let pending = ((value & ((1 << count) - 1)) << (this.#length & 7)) >>> 0
    while (pending > 0) {
      this.#bytes[at] = (this.#bytes[at] ?? 0) | (pending & 255)
      pending >>>= 8
      at += 1
    }
    this.#length = end
  }

  /** A whole number of 0 or more, in groups of seven bits. */
  varint(value: number): void {
    let rest = value
    while (rest > 127) {
      this.bits((rest & 127) | 128, 8)
      rest = Math.floor(rest / 128)
    }
    this.bits(rest, 8)
  }

  text(value: string): void {
    const bytes = Buffer.from(value)
    this.varint(bytes.length)
    for (const byte of bytes) this.bits(byte, 8)
  }

  /**
   * Whole numbers of 0 to 2^22, each as its quotient by a power of two, in ones, and its remainder (Golomb and Rice). Near the
   * information that is in them if small ones are more frequent than large ones, or all are equally frequent.
   */
  rice(values: readonly number[]): void {
    const shift = bestShift(values)
    this.bits(shift, 5)
    for (const value of values) {
      let ones = value >> shift
      for (; ones > MOST_ONES; ones -= MOST_ONES) this.bits(2 ** MOST_ONES - 1, MOST_ONES)
      this.bits(2 ** ones - 1, ones + 1)
      this.bits(value, shift)
    }
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, (this.#length + 7) >> 3))
  }

  #grow(end: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, (end >> 3) + 64))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

/** The shift of least bits is within one of that of the mean. */
function bestShift(values: readonly number[]): number {
  let sum = 0
  for (const value of values) sum += value
  const guess = Math.floor(Math.log2(sum / values.length + 1))
  let [best, fewest] = [guess, Infinity]
  for (let shift = Math.max(0, guess - 1); shift <= guess + 1; shift += 1) {
    let size = values.length * shift
    for (const value of values) size += value >> shift
    if (size < fewest) [best, fewest] = [shift, size]
  }
  return best
}

/** How many of the lowest bits are ones without a zero between them. */
function onesOf(word: number): number {
  const zeros = ~word
  return zeros === 0 ? 32 : 31 - Math.clz32(zeros & -zeros)
}

/** Reads what `BitWriter` wrote, in the same order. Throws at the end of the bytes. */
export class BitReader {
  #at = 0
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  bits(count: number): number {
    const word = this.#word()
    this.#at += count
    if (this.#at > this.#bytes.length * 8) throw new Error('packed bytes end too early')
    return word & ((1 << count) - 1)
  }

  varint(): number {
    let [value, scale, group] = [0, 1, this.bits(8)]
    while (group > 127) {
      value += (group & 127) * scale
      scale *= 128
      group = this.bits(8)
    }
    return value + group * scale
  }

  text(): string {
    return Buffer.from(Array.from({ length: this.varint() }, () => this.bits(8))).toString()
  }

  rice(count: number): number[] {
    const shift = this.bits(5)
    const values: number[] = []
    const mask = (1 << shift) - 1
    for (let i = 0; i < count; i += 1) {
      const word = this.#word()
      const ones = onesOf(word)
      // Nearly all numbers are found with one look.
      if (ones + shift < MOST_ONES) {
        values.push((ones << shift) | ((word >>> (ones + 1)) & mask))
        this.#at += ones + 1 + shift
      } else values.push((this.#ones() << shift) | this.bits(shift))
    }
    this.bits(0) // throws if the last one is beyond the end
    return values
  }

  /** The ones up to a zero, which is read too. */
  #ones(): number {
    let total = 0
    for (;;) {
      const ones = onesOf(this.#word())
      if (ones < MOST_ONES) {
        this.bits(ones + 1)
        return total + ones
      }
      this.bits(MOST_ONES)
      total += MOST_ONES
    }
  }

  /** The next bits, at least 25 of them, and zeros after the end. */
  #word(): number {
    const [bytes, at] = [this.#bytes, this.#at >> 3]
    const word =
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24)
    return word >>> (this.#at & 7)
  }
}
