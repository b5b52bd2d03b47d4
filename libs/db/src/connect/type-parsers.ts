/**
 * Public ids and counters always fit a JavaScript number. Throws for a larger one, which is a bug, instead of
 * rounding it.
 */
export function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('int8 beyond 2^53-1')
  return value
}

/**
 * `2026-11-21 10:00:00.123456+00` as `2026-11-21T10:00:00.123Z`: the text that clients see, truncated to milliseconds.
 * The session's time zone is UTC. Does not use Date, which is slower and has no microseconds to truncate.
 */
export function parseTimestamptz(text: string): string {
  const millis =
    text.charCodeAt(19) === 46 ? text.slice(20, 26).replace(/\D.*$/, '').padEnd(3, '0').slice(0, 3) : '000'
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${millis}Z`
}
