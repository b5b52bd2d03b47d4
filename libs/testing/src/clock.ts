/** A clock that moves only when told to, for code that takes `now: () => number`. Milliseconds since 1970. */
export function fakeClock(startsAt: string | number = '2026-11-21T10:00:00.000Z') {
  let at = typeof startsAt === 'number' ? startsAt : Date.parse(startsAt)
  return {
    now: () => at,
    iso: () => new Date(at).toISOString(),
    advance(ms: number): void {
      at += ms
    },
    set(instant: string): void {
      at = Date.parse(instant)
    },
  }
}
