import type { components } from '@whereabouts/client/client'

export type Schedule = components['schemas']['RuleSchedule']

/** 1 is Monday. */
export const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
const WEEKDAYS = [1, 2, 3, 4, 5]

/** A window ends before its last minute is over: one that begins and ends at midnight is refused. */
const ALL_DAY = { from: '00:00', to: '23:59' }
export const ON_WEEKDAYS: Schedule = { days: WEEKDAYS, ...ALL_DAY }
/** What people begin with who choose their own days and hours. */
export const AT_WORK: Schedule = { days: WEEKDAYS, from: '06:00', to: '18:00' }

const isAllDay = ({ from, to }: Schedule) => from === ALL_DAY.from && to === ALL_DAY.to
const isSame = (days: readonly number[], others: readonly number[]) =>
  days.length === others.length && others.every((day) => days.includes(day))

/** The choice of the form that a schedule is. */
export type ScheduleChoice = 'always' | 'weekdays' | 'custom'
export const choiceOf = (schedule: Schedule | null): ScheduleChoice =>
  schedule === null ? 'always' : isAllDay(schedule) && isSame(schedule.days, WEEKDAYS) ? 'weekdays' : 'custom'

const listed = new Intl.ListFormat('en', { type: 'conjunction' })

/** `on weekdays`, `on Monday and Friday from 22:00 to 06:00 of the next day`, `from 06:00 to 22:00`. Always: nothing. */
export function scheduleWords(schedule: Schedule | null): string {
  if (schedule === null) return ''
  const { from, to } = schedule
  const hours = isAllDay(schedule)
    ? undefined
    : `from ${from || '…'} to ${to || '…'}${to !== '' && to < from ? ' of the next day' : ''}`
  return [daysWords(schedule.days), hours].filter((part) => part !== undefined).join(' ') || 'every day'
}

function daysWords(days: readonly number[]): string | undefined {
  if (days.length === 0) return 'on …'
  if (days.length === DAYS.length) return undefined
  if (isSame(days, WEEKDAYS)) return 'on weekdays'
  if (isSame(days, [6, 7])) return 'on weekends'
  return `on ${listed.format(DAYS.filter((_, at) => days.includes(at + 1)))}`
}

/** Problems by field of the API. */
export const scheduleChecks = (schedule: Schedule | null) =>
  schedule === null
    ? {}
    : {
        'schedule.days': schedule.days.length === 0 ? 'Choose a day.' : undefined,
        'schedule.from': schedule.from === '' ? 'Enter a time such as 06:00.' : undefined,
        'schedule.to':
          schedule.to === ''
            ? 'Enter a time such as 22:00.'
            : schedule.to === schedule.from
              ? 'Enter another time than the one it begins at.'
              : undefined,
      }
