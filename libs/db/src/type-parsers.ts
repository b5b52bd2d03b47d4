/** Public ids and counters fit a JavaScript number by construction; one that does not is a bug, never a rounding. */
export function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('int8 beyond 2^53-1')
  return value
}

/**
 * `2026-11-21 10:00:00.123456+00` as `2026-11-21T10:00:00.123Z`: the text clients see, cut off to milliseconds. The
 * session's time zone is UTC. No Date in between: it is slower and has no microseconds to cut off correctly.
 */
export function parseTimestamptz(text: string): string {
  const millis =
    text.charCodeAt(19) === 46 ? text.slice(20, 26).replace(/\D.*$/, '').padEnd(3, '0').slice(0, 3) : '000'
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${millis}Z`
}
