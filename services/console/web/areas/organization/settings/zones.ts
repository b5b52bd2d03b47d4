/** Names of time zones that this browser knows, and `current`, which it may not know. */
export const zonesWith = (current: string): string[] =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', current])].toSorted()
