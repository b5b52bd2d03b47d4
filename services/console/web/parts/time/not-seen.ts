/** Choices of "not seen for", as in the address. */
const HOURS = { '1h': 1, '24h': 24, '7d': 7 * 24 }

export type NotSeen = keyof typeof HOURS

export const isNotSeen = (text: string): text is NotSeen => Object.hasOwn(HOURS, text)

/** The instant since which nothing saw them, for the API. */
export const notSeenSince = (chosen: NotSeen, now = Date.now()): string =>
  new Date(now - HOURS[chosen] * 3_600_000).toISOString()
