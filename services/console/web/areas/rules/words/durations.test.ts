import { expect, test } from 'vitest'
import { durationOf, durationProblem, durationWords, secondsOf, unitsWith } from './durations.ts'

test('a time is shown in the largest unit without a fraction, and is the same in seconds again', () => {
  for (const [seconds, amount, unit, words] of [
    [60, '1', 'minutes', '1 minute'],
    [5_400, '90', 'minutes', '90 minutes'],
    [14_400, '4', 'hours', '4 hours'],
    [86_400, '1', 'days', '1 day'],
    [31_536_000, '365', 'days', '365 days'],
    [61, '61', 'seconds', '61 seconds'],
  ] as const) {
    expect(durationOf(seconds)).toEqual({ amount, unit })
    expect(secondsOf({ amount, unit })).toBe(seconds)
    expect(durationWords(seconds)).toBe(words)
  }
})

test('people choose no seconds, but those of a program stay', () => {
  expect(unitsWith('hours')).not.toContain('seconds')
  expect(unitsWith('seconds')).toContain('seconds')
})

test('a time that is missing, too short or too long says what to enter', () => {
  const text = 'Enter a time from 1 minute to 1 day.'
  for (const amount of ['', '0', '25'])
    expect(durationProblem({ amount, unit: 'hours' }, 60, 86_400)).toBe(text)
  for (const amount of ['1', '24'])
    expect(durationProblem({ amount, unit: 'hours' }, 60, 86_400)).toBeUndefined()
  expect(secondsOf({ amount: '', unit: 'hours' })).toBeUndefined()
})
