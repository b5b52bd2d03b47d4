import type { TimeSource } from '@whereabouts/contracts/resources/tracking/readers'
import { CLOCK_SET_SINCE_MS } from '../../readers/health/reader-clock.ts'

const OLDEST_MS = 24 * 3_600_000
const NEWEST_MS = 30_000

/** True for a time that only a right clock shows: from 24 hours before to 30 seconds after receipt. */
export const isRightTime = (ms: number, receivedAtMs: number): boolean =>
  ms >= receivedAtMs - OLDEST_MS && ms <= receivedAtMs + NEWEST_MS

/** True for a time that counts only if its clock is known to be right. */
export const needsProof = (ms: number, receivedAtMs: number): boolean =>
  ms < receivedAtMs - OLDEST_MS && ms >= CLOCK_SET_SINCE_MS

/**
 * When a read was, for ingest. `as_sent`: its own time. `receipt`: when the broker received it. `late`: its own time, more
 * than a day ago, so that it fills history and announces nothing. `too_old`: before the history that is kept. `skewed`:
 * the clock that gave the time is wrong.
 */
export type ReadTime = { ms: number; kind: 'as_sent' | 'late' | 'too_old' | 'receipt'; skewed: boolean }

/** `isClockRight` is asked for times of which `needsProof` is true. `retentionMs`: how long history is kept. */
export type TimeRules = {
  receivedAtMs: number
  source: TimeSource
  retentionMs: number
  isClockRight: (ms: number) => boolean
}

/** The time of a read (D18.2). A read without a time is not skewed, nor is one of a reader whose times do not count. */
export function timeOfRead(
  ms: number | null,
  { receivedAtMs, source, retentionMs, isClockRight }: TimeRules,
): ReadTime {
  if (ms === null || source === 'receipt') return receipt(receivedAtMs, false)
  if (ms > receivedAtMs) return receipt(receivedAtMs, !isRightTime(ms, receivedAtMs))
  if (isRightTime(ms, receivedAtMs)) return { ms, kind: 'as_sent', skewed: false }
  if (!needsProof(ms, receivedAtMs) || !isClockRight(ms)) return receipt(receivedAtMs, true)
  return { ms, kind: ms < receivedAtMs - retentionMs ? 'too_old' : 'late', skewed: false }
}

const receipt = (ms: number, skewed: boolean): ReadTime => ({ ms, kind: 'receipt', skewed })
