/** A clock that moves only by `advance` and `set`, for code with a parameter `now`. Milliseconds since 1970. */
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
