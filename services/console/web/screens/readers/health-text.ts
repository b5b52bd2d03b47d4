import type { components } from '@whereabouts/client/client'
import { durationText } from '../../parts/times.ts'

type Health = components['schemas']['ReaderHealth']

export type Drop = { field: keyof Health; label: string; hint: string; count: number }

const REASONS = [
  ['reads_unknown_tag', 'unknown tag', 'Tags that are attached to nothing. See Unknown tags.'],
  ['reads_unplaced', 'no place', 'No scan point for the antenna, or a location key that names nothing.'],
  [
    'reads_clock_skewed',
    'wrong clock',
    'The time of the device was not believed; the moment of receipt was taken.',
  ],
  ['reads_lost', 'lost on the device', 'The device could not keep them until they were sent.'],
  ['read_errors', 'not understood', 'Parts of messages that could not be used.'],
  ['messages_buried', 'messages buried', 'Whole messages that were not of the format.'],
  [
    'messages_over_rate',
    'too many messages',
    'Messages dropped because the keys of the organization may not send as many a second. Send several reads in a message of up to 32 KiB.',
  ],
] as const

/** Everything that did not become a place of an asset, by reason, with how often it happened. */
export const dropsOf = (health: Health): Drop[] =>
  REASONS.map(([field, label, hint]) => ({ field, label, hint, count: health[field] }))

const IN_STEP_MS = 2_000

/** How far the clock of the device is off. */
export function clockText(offsetMs: number | null): string {
  if (offsetMs === null) return '–'
  const off = Math.abs(offsetMs)
  if (off < IN_STEP_MS) return 'in step'
  return `${durationText(off / 1000)} ${offsetMs > 0 ? 'ahead' : 'behind'}`
}
