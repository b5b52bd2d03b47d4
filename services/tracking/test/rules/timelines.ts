import type { RuleCreate } from '@whereabouts/contracts/resources/rules/rules'
import type { ResolvedBecause } from '@whereabouts/contracts/resources/rules/alerts'

/** `Hall` has `Dock` and `Shelf`; `Yard` has `Gate`. `null`: read where no location is known. */
export type Place = 'Hall' | 'Dock' | 'Shelf' | 'Yard' | 'Gate' | null

/** Day and time in UTC, counted from the first day: `2 08:00` is 8 o'clock two days later. */
export type Time = string

type What =
  | Place
  | { save: Place }
  | { late: Place }
  | 'delete asset'
  | 'delete Hall'
  | 'move Gate into Hall'
  | 'is a person'

export type Alert = [
  raised: Time,
  resolved: Time | null,
  because?: ResolvedBecause | undefined,
  place?: Place,
]

export type Timeline = {
  name: string
  /** The first day. */
  day?: string
  zone?: string
  rule: Omit<Partial<RuleCreate>, 'scope'> & Pick<RuleCreate, 'kind'>
  /** Hall, unless it says otherwise. */
  places?: Place[]
  types?: ('asset' | 'person')[]
  events: [Time, What][]
  until: Time
  alerts: Alert[]
  /** Where history says more or less than was known live. */
  past?: Alert[]
  /** If the clock was away: a change of the tree is looked at when it is back. */
  away?: Alert[]
}

const entered = { kind: 'entered' } as const
const left = { kind: 'left' } as const
const stayed = { kind: 'stayed_longer_than', params: { seconds: 3_600 } } as const
const unseen = { kind: 'not_seen_for', params: { seconds: 3_600 } } as const
const missing = { kind: 'missing_at', params: { time: '08:00' } } as const
const workdays = { days: [1, 2, 3, 4, 5], from: '06:00', to: '22:00' }
/** Monday. */
export const FIRST_DAY = '2026-03-02'

export const timelines: Timeline[] = [
  {
    name: 'an asset that comes is told at once, and it is over when it goes',
    rule: entered,
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', 'Dock'],
      ['0 10:00', 'Gate'],
    ],
    until: '0 12:00',
    alerts: [['0 09:00', '0 10:00', 'condition', 'Dock']],
  },
  {
    name: 'moving within the places is no coming',
    rule: entered,
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', 'Dock'],
      ['0 09:30', 'Shelf'],
      ['0 10:00', 'Hall'],
      ['0 11:00', 'Yard'],
    ],
    until: '0 12:00',
    alerts: [['0 09:00', '0 11:00', 'condition', 'Dock']],
  },
  {
    name: 'coming again is told again, three times',
    rule: entered,
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', 'Dock'],
      ['0 10:00', 'Gate'],
      ['0 11:00', 'Dock'],
      ['0 12:00', 'Gate'],
      ['0 13:00', 'Dock'],
    ],
    until: '0 14:00',
    alerts: [
      ['0 09:00', '0 10:00', 'condition', 'Dock'],
      ['0 11:00', '0 12:00', 'condition', 'Dock'],
      ['0 13:00', null, undefined, 'Dock'],
    ],
  },
  {
    name: 'the first read of an asset is a coming too',
    rule: entered,
    events: [['0 09:00', 'Dock']],
    until: '0 10:00',
    alerts: [['0 09:00', null, undefined, 'Dock']],
  },
  {
    name: 'a read without a location ends being there',
    rule: entered,
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', 'Dock'],
      ['0 10:00', null],
      ['0 11:00', 'Dock'],
    ],
    until: '0 12:00',
    alerts: [
      ['0 09:00', '0 10:00', 'condition', 'Dock'],
      ['0 11:00', null, undefined, 'Dock'],
    ],
  },
  {
    name: 'a stay shorter than for_seconds leaves no trace',
    rule: { ...entered, for_seconds: 600 },
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', 'Dock'],
      ['0 09:09', 'Gate'],
      ['0 10:00', 'Dock'],
    ],
    until: '0 11:00',
    alerts: [['0 10:10', null, undefined, 'Dock']],
  },
  {
    name: 'a break begins for_seconds from the start',
    rule: { ...entered, for_seconds: 600 },
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', 'Dock'],
      ['0 09:05', 'Gate'],
      ['0 09:06', 'Dock'],
      ['0 09:15', 'Gate'],
    ],
    until: '0 11:00',
    alerts: [],
  },
  {
    name: 'held exactly for for_seconds is long enough',
    rule: { ...entered, for_seconds: 600 },
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', 'Dock'],
      ['0 09:10', 'Gate'],
    ],
    until: '0 11:00',
    alerts: [['0 09:10', '0 09:10', 'condition', 'Dock']],
  },
  {
    name: 'an alert of a movement may end by time',
    rule: { ...entered, params: { resolve_after_seconds: 1_800 } },
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', 'Dock'],
      ['0 11:00', 'Gate'],
      ['0 12:00', 'Dock'],
    ],
    until: '0 12:10',
    alerts: [
      ['0 09:00', '0 09:30', 'timeout', 'Dock'],
      ['0 12:00', null, undefined, 'Dock'],
    ],
  },
  {
    name: 'what ended before its time ends by the condition',
    rule: { ...entered, params: { resolve_after_seconds: 7_200 } },
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', 'Dock'],
      ['0 10:00', 'Gate'],
    ],
    until: '0 12:00',
    alerts: [['0 09:00', '0 10:00', 'condition', 'Dock']],
  },
  {
    name: 'an asset that goes is told with the place that it left',
    rule: left,
    events: [
      ['0 08:00', 'Dock'],
      ['0 09:00', 'Gate'],
      ['0 10:00', 'Shelf'],
    ],
    until: '0 12:00',
    alerts: [['0 09:00', '0 10:00', 'condition', 'Dock']],
  },
  {
    name: 'going on elsewhere is no second leaving',
    rule: left,
    events: [
      ['0 08:00', 'Dock'],
      ['0 09:00', 'Gate'],
      ['0 10:00', 'Yard'],
      ['0 11:00', 'Gate'],
    ],
    until: '0 12:00',
    alerts: [['0 09:00', null, undefined, 'Dock']],
  },
  {
    name: 'an asset that never was there does not leave',
    rule: left,
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', 'Yard'],
    ],
    until: '0 12:00',
    alerts: [],
  },
  {
    name: 'a read without a location is a leaving',
    rule: left,
    events: [
      ['0 08:00', 'Dock'],
      ['0 09:00', null],
      ['0 10:00', 'Gate'],
    ],
    until: '0 12:00',
    alerts: [['0 09:00', null, undefined, 'Dock']],
  },
  {
    name: 'leaving for a moment is not told with for_seconds',
    rule: { ...left, for_seconds: 900 },
    events: [
      ['0 08:00', 'Dock'],
      ['0 09:00', 'Gate'],
      ['0 09:10', 'Dock'],
      ['0 10:00', 'Gate'],
    ],
    until: '0 12:00',
    alerts: [['0 10:15', null, undefined, 'Dock']],
  },
  {
    name: 'a stay that is too long is told when it is, without a read',
    rule: stayed,
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', 'Dock'],
    ],
    until: '0 12:00',
    alerts: [['0 10:00', null, undefined, 'Dock']],
  },
  {
    name: 'time in the places counts together',
    rule: stayed,
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', 'Dock'],
      ['0 09:40', 'Shelf'],
      ['0 11:00', 'Gate'],
    ],
    until: '0 12:00',
    alerts: [['0 10:00', '0 11:00', 'condition', 'Shelf']],
  },
  {
    name: 'a stay that ends in time is not told, three times',
    rule: stayed,
    events: [
      ['0 08:00', 'Dock'],
      ['0 08:50', 'Gate'],
      ['0 09:00', 'Dock'],
      ['0 09:50', 'Gate'],
      ['0 10:00', 'Dock'],
      ['0 10:50', 'Gate'],
    ],
    until: '0 12:00',
    alerts: [],
  },
  {
    name: 'a stay and for_seconds add up',
    rule: { ...stayed, for_seconds: 600 },
    events: [
      ['0 09:00', 'Dock'],
      ['0 10:05', 'Gate'],
      ['0 10:10', 'Dock'],
    ],
    until: '0 12:00',
    alerts: [['0 11:20', null, undefined, 'Dock']],
  },
  {
    name: 'a stay over the end of the week is told when the schedule opens',
    rule: { ...stayed, schedule: workdays },
    events: [['4 21:30', 'Dock']], // Friday
    until: '8 12:00',
    alerts: [['7 06:00', null, undefined, 'Dock']],
  },
  {
    name: 'what is over before the schedule opens is not told',
    rule: { ...stayed, schedule: workdays },
    events: [
      ['4 21:30', 'Dock'],
      ['5 12:00', 'Gate'],
    ],
    until: '8 12:00',
    alerts: [],
  },
  {
    name: 'an alert stays open when the schedule closes',
    rule: { ...stayed, schedule: workdays },
    events: [
      ['0 20:30', 'Dock'],
      ['1 03:00', 'Gate'],
    ],
    until: '1 12:00',
    alerts: [['0 21:30', '1 03:00', 'condition', 'Dock']],
  },
  {
    name: 'a schedule over midnight belongs to the day on which it begins',
    rule: { ...entered, schedule: { days: [5], from: '22:00', to: '06:00' } },
    events: [
      ['0 08:00', 'Gate'],
      ['4 21:00', 'Dock'],
      ['4 21:30', 'Gate'],
      ['5 05:00', 'Dock'],
      ['5 05:30', 'Gate'],
      ['5 23:00', 'Dock'],
    ],
    until: '6 12:00',
    alerts: [['5 05:00', '5 05:30', 'condition', 'Dock']],
  },
  {
    name: 'a schedule is in the zone of the organization',
    zone: 'America/New_York',
    rule: { ...entered, schedule: { days: [1], from: '08:00', to: '09:00' } },
    events: [
      ['0 08:00', 'Gate'],
      ['0 12:00', 'Dock'],
      ['0 12:30', 'Gate'],
      ['0 13:30', 'Dock'],
    ],
    until: '0 15:00',
    alerts: [['0 13:30', null, undefined, 'Dock']],
  },
  {
    name: 'what waits for a time that does not exist is told at the change',
    day: '2026-03-29',
    zone: 'Europe/Berlin',
    rule: { ...stayed, schedule: { days: [7], from: '02:30', to: '10:00' } },
    events: [['-1 22:00', 'Dock']],
    until: '0 04:00',
    alerts: [['0 01:00', null, undefined, 'Dock']],
  },
  {
    name: 'a time that exists twice is the first',
    day: '2026-10-25', // 02:00 to 03:00 exist twice in Berlin; the first is 00:00 to 01:00 UTC
    zone: 'Europe/Berlin',
    rule: { ...stayed, schedule: { days: [7], from: '02:30', to: '10:00' } },
    events: [['-1 20:00', 'Dock']],
    until: '0 04:00',
    alerts: [['0 00:30', null, undefined, 'Dock']],
  },
  {
    name: 'the day of a change has the hour of its zone afterwards',
    day: '2026-10-25',
    zone: 'Europe/Berlin',
    rule: { ...missing, params: { time: '08:00' } },
    events: [
      ['-1 05:00', 'Dock'],
      ['0 00:00', 'Gate'],
      ['0 08:30', 'Dock'],
    ],
    until: '0 12:00',
    alerts: [['0 07:00', '0 08:30', 'condition', 'Gate']],
  },
  {
    name: 'not seen is told after the time, and over when it is seen',
    rule: unseen,
    places: [],
    events: [
      ['0 08:00', 'Dock'],
      ['0 08:30', 'Dock'],
      ['0 10:00', 'Dock'],
      ['0 10:30', 'Dock'],
    ],
    until: '0 11:00',
    alerts: [['0 09:30', '0 10:00', 'condition', 'Dock']],
  },
  {
    name: 'not seen, three times',
    rule: unseen,
    places: [],
    events: [
      ['0 08:00', 'Dock'],
      ['0 10:00', 'Dock'],
      ['0 12:00', 'Gate'],
      ['0 14:00', 'Gate'],
    ],
    until: '0 14:30',
    alerts: [
      ['0 09:00', '0 10:00', 'condition', 'Dock'],
      ['0 11:00', '0 12:00', 'condition', 'Dock'],
      ['0 13:00', '0 14:00', 'condition', 'Gate'],
    ],
  },
  {
    name: 'not seen counts where the asset was last',
    rule: unseen,
    events: [
      ['0 08:00', 'Gate'],
      ['0 10:00', 'Dock'],
    ],
    until: '0 12:00',
    alerts: [['0 11:00', null, undefined, 'Dock']],
  },
  {
    name: 'not seen waits for the schedule',
    rule: { ...unseen, schedule: workdays },
    places: [],
    events: [
      ['0 21:30', 'Dock'],
      ['1 05:00', 'Dock'],
      ['1 21:30', 'Dock'],
    ],
    until: '2 07:00',
    alerts: [
      ['1 06:00', '1 21:30', 'condition', 'Dock'],
      ['2 06:00', null, undefined, 'Dock'],
    ],
  },
  {
    name: 'an asset that is away at the time is told, and over when it comes',
    rule: missing,
    events: [
      ['0 07:00', 'Gate'],
      ['0 09:00', 'Dock'],
      ['0 10:00', 'Gate'],
    ],
    until: '0 12:00',
    alerts: [['0 08:00', '0 09:00', 'condition', 'Gate']],
  },
  {
    name: 'an asset that is there at the time may go',
    rule: missing,
    events: [
      ['0 07:00', 'Dock'],
      ['0 08:30', 'Gate'],
      ['0 20:00', 'Dock'],
    ],
    until: '0 23:00',
    alerts: [],
  },
  {
    name: 'an asset that is away for days is told once',
    rule: missing,
    events: [
      ['0 07:00', 'Gate'],
      ['3 09:00', 'Dock'],
    ],
    until: '3 12:00',
    alerts: [['0 08:00', '3 09:00', 'condition', 'Gate']],
  },
  {
    name: 'coming within for_seconds of the time is soon enough',
    rule: { ...missing, for_seconds: 1_800 },
    events: [
      ['0 07:00', 'Gate'],
      ['0 08:20', 'Dock'],
      ['0 20:00', 'Gate'],
      ['1 08:45', 'Dock'],
    ],
    until: '1 12:00',
    alerts: [['1 08:30', '1 08:45', 'condition', 'Gate']],
  },
  {
    name: 'an asset that was never seen is missing',
    rule: missing,
    events: [],
    until: '0 12:00',
    alerts: [['0 08:00', null, undefined, null]],
  },
  {
    name: 'a save counts as a movement',
    rule: entered,
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', { save: 'Dock' }],
      ['0 10:00', { save: 'Gate' }],
    ],
    until: '0 12:00',
    alerts: [['0 09:00', '0 10:00', 'condition', 'Dock']],
  },
  {
    name: 'a late read raises nothing, also if the asset is there now',
    rule: entered,
    events: [
      ['0 08:00', 'Gate'],
      ['0 09:00', { late: 'Dock' }],
      ['0 11:00', 'Gate'],
    ],
    until: '0 12:00',
    alerts: [],
    past: [['0 09:00', '0 11:00', 'condition', 'Dock']],
  },
  {
    name: 'the alert of an asset that is deleted is over',
    rule: stayed,
    events: [
      ['0 09:00', 'Dock'],
      ['0 11:00', 'delete asset'],
    ],
    until: '0 12:00',
    alerts: [['0 10:00', '0 11:00', 'subject_deleted', 'Dock']],
  },
  {
    name: 'an asset that is deleted in time is not told',
    rule: stayed,
    events: [
      ['0 09:00', 'Dock'],
      ['0 09:30', 'delete asset'],
    ],
    until: '0 12:00',
    alerts: [],
  },
  {
    name: 'a type that does not fit any more ends it',
    rule: stayed,
    types: ['asset'],
    events: [
      ['0 09:00', 'Dock'],
      ['0 11:00', 'is a person'],
    ],
    until: '0 12:00',
    alerts: [['0 10:00', '0 11:00', 'condition', 'Dock']],
    past: [],
  },
  {
    name: 'a place that is deleted holds nothing any more',
    rule: stayed,
    events: [
      ['0 09:00', 'Dock'],
      ['0 11:00', 'delete Hall'],
    ],
    until: '0 12:00',
    alerts: [['0 10:00', '0 11:00', 'condition', 'Dock']],
    past: [],
    away: [['0 10:00', '0 12:00', 'condition', 'Dock']],
  },
  {
    name: 'a place that is moved into a place takes what is in it along',
    rule: stayed,
    events: [
      ['0 09:00', 'Gate'],
      ['0 09:30', 'move Gate into Hall'],
    ],
    until: '0 12:00',
    alerts: [['0 10:00', null, undefined, 'Gate']],
  },
]
