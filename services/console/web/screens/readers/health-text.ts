import type { components } from '@whereabouts/client/client'
import { durationText } from '../../parts/times.ts'

type Health = components['schemas']['ReaderHealth']

export type ReadProblem = { field: keyof Health; label: string; hint: string; count: number }

const KINDS = [
  ['reads_unknown_tag', 'unknown tag', 'The tag is not attached to anything. See Unknown tags.'],
  ['reads_unplaced', 'no location', 'The antenna has no scan point, or the location key does not exist.'],
  ['reads_clock_skewed', 'wrong clock', 'The device time was wrong. The time of receipt was used instead.'],
  ['reads_lost', 'lost on the device', 'The device lost them before it could send them.'],
  ['read_errors', 'unreadable', 'Parts of messages that could not be read.'],
  ['messages_buried', 'dead letters', 'Whole messages in a wrong format.'],
  [
    'messages_over_rate',
    'too many messages',
    'Messages above the rate limit of the organization were dropped. Put several reads into one message of up to 32 KiB.',
  ],
] as const

/** Reads and messages with a problem, counted by kind. Some were still used, such as reads with a wrong clock. */
export const readProblemsOf = (health: Health): ReadProblem[] =>
  KINDS.map(([field, label, hint]) => ({ field, label, hint, count: health[field] }))

const IN_SYNC_MS = 2_000

/** The clock offset of the device. */
export function clockText(offsetMs: number | null): string {
  if (offsetMs === null) return '–'
  const off = Math.abs(offsetMs)
  if (off < IN_SYNC_MS) return 'in sync'
  return `${durationText(off / 1000)} ${offsetMs > 0 ? 'ahead' : 'behind'}`
}
