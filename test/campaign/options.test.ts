import { expect, test } from 'vitest'
import { readOptions, roundsOf, UsageError, type Options } from './options.ts'

const read = (...args: string[]) => readOptions(args, 42) as Options

test('without options it is one round of five minutes with a random seed', () => {
  expect(roundsOf(read())).toEqual([{ seed: 42, minutes: 5 }])
})

test('minutes are divided into rounds with following seeds', () => {
  const options = read('--minutes', '12', '--seed', '7')
  expect(roundsOf(options)).toEqual([
    { seed: 7, minutes: 5 },
    { seed: 8, minutes: 5 },
    { seed: 9, minutes: 2 },
  ])
  expect(roundsOf(read('--minutes', '0.5', '--seed', '7'))).toEqual([{ seed: 7, minutes: 0.5 }])
})

test('chosen faults are repeated in one round', () => {
  const options = read('--minutes', '20', '--seed', '7', '--only', '3,11')
  expect(options.only).toEqual([3, 11])
  expect(roundsOf(options)).toEqual([{ seed: 7, minutes: 5 }])
})

test('help wins', () => expect(readOptions(['--help'], 42)).toBe('help'))

test.for([
  ['--minutes', '0'],
  ['--minutes', 'five'],
  ['--round-minutes', '11'],
  ['--seed', '-1'],
  ['--only', '1,x'],
  ['--unknown', '1'],
])('%s %s is refused', (args) => expect(() => readOptions(args, 42)).toThrow(UsageError))
