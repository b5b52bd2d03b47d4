import type { Reader } from '../reader-fields.ts'

/** The zone of this browser. */
export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

const NEAR_MS = 5 * 60_000

export type Times = Pick<Reader, 'timezone' | 'time_source'> & {
  health: Pick<Reader['health'], 'clock' | 'clock_offset_ms' | 'last_problem'>
}

/**
 * The zone that makes the times of a reader right: `own`, that of the person, if its times name none, or if they are off by the
 * difference to the zone that the reader has. Times that name a zone themselves have no zone to be set here.
 */
export function zoneThatFits(reader: Times, own: string, atMs: number): string | undefined {
  const { timezone, time_source: source, health } = reader
  if (source === 'receipt' || timezone === own) return undefined
  if (timezone === null) return health.last_problem?.startsWith('missing_zone') ? own : undefined
  if (health.clock !== 'behind' && health.clock !== 'ahead') return undefined
  const fits =
    Math.abs(offsetAt(own, atMs) - offsetAt(timezone, atMs) - (health.clock_offset_ms ?? 0)) <= NEAR_MS
  return fits ? own : undefined
}

/** NaN, which fits nothing, for a spelling that the browser does not know. */
function offsetAt(timeZone: string, atMs: number): number {
  try {
    const text = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).format(atMs)
    const [, sign = '+', hours = '0', minutes = '0'] = /GMT(?:([+-])(\d+):(\d+))?/.exec(text) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  } catch {
    return Number.NaN
  }
}
