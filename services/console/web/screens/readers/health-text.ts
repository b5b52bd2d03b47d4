import type { components } from '@whereabouts/client/client'
import { durationText } from '../../parts/times.ts'

type Health = components['schemas']['ReaderHealth']

export type ReadProblem = {
  field: keyof Health
  /** Heading of the kind. */
  label: string
  /** With the count, such as "2 reads of unknown tags". */
  counted: string
  hint: string
  count: number
}

/** Field, one, several, and what it means. */
const KINDS = [
  [
    'reads_unknown_tag',
    'read of an unknown tag',
    'reads of unknown tags',
    'No asset or location has the tag. Assign it under Unknown tags.',
  ],
  [
    'reads_unplaced',
    'read without a location',
    'reads without a location',
    'The antenna has no scan point with a location. Add one on the page of the reader.',
  ],
  [
    'reads_clock_skewed',
    'read with a wrong time',
    'reads with a wrong time',
    'The clock of the device is wrong. The time of arrival was used instead. Set the clock of the device.',
  ],
  [
    'reads_lost',
    'read that the device lost',
    'reads that the device lost',
    'The device says that it lost them before it could send them.',
  ],
  [
    'read_errors',
    'read that could not be understood',
    'reads that could not be understood',
    'The rest of the message was used. Check the settings of the device.',
  ],
  [
    'messages_buried',
    'message that could not be understood',
    'messages that could not be understood',
    'The device sends another kind of message than the topic says. Check kind of reader and topic.',
  ],
  [
    'messages_over_rate',
    'message above the limit',
    'messages above the limit',
    'They were not used. Let the device put several reads into one message of up to 32 KiB.',
  ],
] as const

const format = new Intl.NumberFormat()

/** Reads and messages with a problem, counted by kind. Some were still used, such as reads with a wrong time. */
export const readProblemsOf = (health: Health): ReadProblem[] =>
  KINDS.map(([field, one, several, hint]) => {
    const count = health[field]
    const label = several.charAt(0).toUpperCase() + several.slice(1)
    return { field, label, counted: `${format.format(count)} ${count === 1 ? one : several}`, hint, count }
  })

const IN_SYNC_MS = 2_000

/** The clock offset of the device. */
export function clockText(offsetMs: number | null): string {
  if (offsetMs === null) return '–'
  const off = Math.abs(offsetMs)
  if (off < IN_SYNC_MS) return 'Right'
  return `${durationText(off / 1000)} ${offsetMs > 0 ? 'ahead' : 'behind'}`
}

/** The number of reads and messages of a reader, such as "1 read in 1 message". */
export const readsText = ({ reads, messages }: Pick<Health, 'reads' | 'messages'>): string =>
  `${format.format(reads)} ${reads === 1 ? 'read' : 'reads'} in ${format.format(messages)} ${messages === 1 ? 'message' : 'messages'}`
