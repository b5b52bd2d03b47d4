import type { components } from '@whereabouts/client/client'
import { durationText } from '../../parts/time/times.ts'

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
    'The antenna has no scan point, or one at a deleted location. Set its location on the page of the reader.',
  ],
  [
    'reads_clock_skewed',
    'read with a wrong time',
    'reads with a wrong time',
    'The clock of the device is wrong. The time of arrival was used instead. Set the clock of the device.',
  ],
  [
    'reads_late',
    'read of more than a day ago',
    'reads of more than a day ago',
    'The device sent them late. They are in the history and moved nothing.',
  ],
  [
    'reads_too_weak',
    'read that was too weak',
    'reads that were too weak',
    'Their signal is below the minimum of the scan point or the organization. They were not used.',
  ],
  [
    'reads_outvoted',
    'read that another place outweighed',
    'reads that another place outweighed',
    'The asset stayed where it was read better. See its sightings.',
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

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

/** The share of the messages of the last hour that had a problem. */
export function problemShareText(health: Pick<Health, 'problems_last_hour' | 'messages_last_hour'>): string {
  const { problems_last_hour: problems, messages_last_hour: messages } = health
  const share = Math.min(1, problems / Math.max(1, messages))
  return problems > 0 && share < 0.001 ? `< ${percent.format(0.001)}` : percent.format(share)
}

const IN_SYNC_MS = 2_000

export const isInSync = (offsetMs: number): boolean => Math.abs(offsetMs) < IN_SYNC_MS

/** The clock offset of the device. */
export function clockText(offsetMs: number | null): string {
  if (offsetMs === null) return '–'
  if (isInSync(offsetMs)) return 'In sync'
  return `${durationText(Math.abs(offsetMs) / 1000)} ${offsetMs > 0 ? 'ahead' : 'behind'}`
}

/** The number of reads and messages of a reader, such as "1 read in 1 message". */
export const readsText = ({ reads, messages }: Pick<Health, 'reads' | 'messages'>): string =>
  `${format.format(reads)} ${reads === 1 ? 'read' : 'reads'} in ${format.format(messages)} ${messages === 1 ? 'message' : 'messages'}`

/** The reads of the last 24 hours in words. */
export function readsByHourText({ reads_by_hour: hours }: Pick<Health, 'reads_by_hour'>): string {
  const reads = hours.reduce((sum, one) => sum + one, 0)
  if (reads === 0) return 'No reads in 24 hours'
  const most = format.format(Math.max(...hours))
  return `${format.format(reads)} ${reads === 1 ? 'read' : 'reads'} in 24 hours. Busiest hour: ${most}`
}

/** The mean signal strength, such as "−54.3 dBm". */
export const signalText = (dbm: number | null): string =>
  dbm === null ? '–' : `${dbm.toFixed(1).replace('-', '−')} dBm`

const FAULTS: Readonly<Record<string, string>> = {
  malformed_json: 'not JSON, or incomplete',
  unexpected_shape: 'JSON of another format',
  unknown_event: 'an event of an unknown kind',
  missing_tag: 'a read without a tag',
  invalid_tag: 'a read with an invalid tag',
  invalid_field: 'a field with an invalid value',
  missing_field: 'a read without a field that the mapping names',
  missing_zone: 'a time without a time zone',
  field_conflict: 'two fields that contradict each other',
}

/** The last problem as a sentence. The API says it as a code with a position, or with words of its own. */
export function problemText(problem: string): string {
  const words = problem
    .replace(/^(\w+) at *(\S*)$/, (_all, code: string, at: string) =>
      at === '' ? code : `${code}, at ${at}`,
    )
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (code) => FAULTS[code] ?? wordsOf(code))
  const capital = words.charAt(0).toUpperCase() + words.slice(1)
  return /[.!?]$/.test(capital) ? capital : `${capital}.`
}

/** A name such as `antenna_connected` as words. */
export const wordsOf = (name: string): string =>
  (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ')

/** The values of a report of the device with their names, also those inside of others. */
export const detailPairs = (detail: Readonly<Record<string, unknown>>): [name: string, value: string][] =>
  Object.entries(detail).flatMap(([name, value]) =>
    isObject(value)
      ? detailPairs(value).map(([inner, text]): [string, string] => [`${wordsOf(name)}, ${inner}`, text])
      : [[wordsOf(name), valueText(value)]],
  )

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function valueText(value: unknown): string {
  if (value === null) return '–'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return format.format(value)
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.every((each) => typeof each !== 'object')
    ? value.map(valueText).join(', ')
    : JSON.stringify(value)
}
