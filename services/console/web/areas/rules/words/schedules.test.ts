import { expect, test } from 'vitest'
import { choiceOf, ON_WEEKDAYS, scheduleChecks, scheduleWords } from './schedules.ts'

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]

test('a schedule is said in words', () => {
  expect(scheduleWords(null)).toBe('')
  expect(scheduleWords(ON_WEEKDAYS)).toBe('on weekdays')
  for (const [days, from, to, words] of [
    [[5, 1], '06:00', '22:00', 'on Monday and Friday from 06:00 to 22:00'],
    [[7, 6], '22:00', '06:00', 'on weekends from 22:00 to 06:00 of the next day'],
    [EVERY_DAY, '06:00', '22:00', 'from 06:00 to 22:00'],
    [EVERY_DAY, '00:00', '23:59', 'every day'],
    [[], '', '22:00', 'on … from … to 22:00'],
  ] as const)
    expect(scheduleWords({ days: [...days], from, to })).toBe(words)
})

test('a schedule is one of three choices', () => {
  expect(choiceOf(null)).toBe('always')
  expect(choiceOf({ days: [5, 4, 3, 2, 1], from: '00:00', to: '23:59' })).toBe('weekdays')
  expect(choiceOf({ ...ON_WEEKDAYS, to: '22:00' })).toBe('custom')
  expect(choiceOf({ ...ON_WEEKDAYS, days: [1] })).toBe('custom')
})

test('a schedule lacks days, times, or an end that differs', () => {
  const fieldsOf = (schedule: Parameters<typeof scheduleChecks>[0]) =>
    Object.entries(scheduleChecks(schedule)).flatMap(([field, text]) => (text === undefined ? [] : field))
  expect(fieldsOf(null)).toEqual([])
  expect(fieldsOf(ON_WEEKDAYS)).toEqual([])
  expect(fieldsOf({ days: [], from: '', to: '' })).toEqual(['schedule.days', 'schedule.from', 'schedule.to'])
  expect(fieldsOf({ days: [1], from: '06:00', to: '06:00' })).toEqual(['schedule.to'])
})
