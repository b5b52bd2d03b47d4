/** Messages per second of a key for which no operator has set a rate. */
export const MESSAGES_PER_SECOND = 200

/** Bytes per message of a rate: 200 messages of the largest size would be 52 MB per second, more than any use needs. */
const BYTES_PER_MESSAGE = 32 * 1024

/**
 * The burst that ingest accepts after a pause, in seconds of the rate. With the default rate: 2 000 messages, or 16 MB.
 */
export const BURST_SECONDS = { messages: 10, bytes: 2.5 } as const

/**
 * Bytes per second that the readers of an organization may send together. More keys do not raise it; rates of
 * operators do: `setByOperators` is their sum, in messages per second.
 */
export const bytesPerSecond = (setByOperators: number): number =>
  Math.max(MESSAGES_PER_SECOND, setByOperators) * BYTES_PER_MESSAGE
