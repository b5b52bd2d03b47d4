/** Messages a second of a key for which no operator set a rate of its own. */
export const MESSAGES_PER_SECOND = 200

/** Bytes that come with each message of a rate: 200 of the largest size a second would be 52 MB, which nobody reads. */
const BYTES_PER_MESSAGE = 32 * 1024

/**
 * What ingest takes at once after a pause, in seconds of the rate: 2 000 messages, or 16 MB, where nobody set another one.
 */
export const BURST_SECONDS = { messages: 10, bytes: 2.5 } as const

/**
 * Bytes a second that the readers of an organization may send together. Keys that it makes itself add nothing; the rates that
 * operators set do: `setByOperators` is their sum, in messages a second.
 */
export const bytesPerSecond = (setByOperators: number): number =>
  Math.max(MESSAGES_PER_SECOND, setByOperators) * BYTES_PER_MESSAGE
