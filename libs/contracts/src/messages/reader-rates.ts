/** Messages per second of a key for which no operator has set a rate. */
export const MESSAGES_PER_SECOND = 200

/** Bytes per message of a rate: 200 messages of the largest size would be 52 MB per second, more than any use needs. */
const BYTES_PER_MESSAGE = 32 * 1024

/** Reads per message of a rate: 5 000 reads a second, because reads are what ingest works on. */
const READS_PER_MESSAGE = 25

/** Keys without a rate of an operator raise the limit up to this many, because an organization can create more for nothing. */
const KEYS_THAT_ADD_UP = 5

/**
 * The burst that ingest accepts after a pause, in seconds of the rate. With the default rate: 2 000 messages, 16 MB, or
 * 50 000 reads.
 */
export const BURST_SECONDS = { messages: 10, bytes: 2.5, reads: 10 } as const

/** What all readers of an organization together may send. */
export type Allowance = { messagesPerSecond: number; bytesPerSecond: number; readsPerSecond: number }

/**
 * The allowance of an organization. `rates` has an entry for each live key with `scans:write`: messages per second as an
 * operator set them, or null. Without such a key it is that of one key. More keys never mean more bytes or reads; rates of operators do.
 */
export function allowanceOf(rates: readonly (number | null)[]): Allowance {
  const setByOperators = rates.reduce<number>((sum, rate) => sum + (rate ?? 0), 0)
  const others = Math.min(KEYS_THAT_ADD_UP, rates.filter((rate) => rate === null).length)
  const asOneKey = Math.max(MESSAGES_PER_SECOND, setByOperators)
  return {
    messagesPerSecond: setByOperators + others * MESSAGES_PER_SECOND || MESSAGES_PER_SECOND,
    bytesPerSecond: asOneKey * BYTES_PER_MESSAGE,
    readsPerSecond: asOneKey * READS_PER_MESSAGE,
  }
}
