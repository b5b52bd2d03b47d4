import { expect, test } from 'vitest'
import { clockText, readProblemsOf, readsText } from './health-text.ts'

test.for([
  { offsetMs: null, want: '–' },
  { offsetMs: -140, want: 'Right' },
  { offsetMs: 31_000, want: '31 s ahead' },
  { offsetMs: -7_500_000, want: '2 h 5 min behind' },
])('a clock off by $offsetMs ms', ({ offsetMs, want }) => expect(clockText(offsetMs)).toBe(want))

const NONE = {
  reads_unknown_tag: 0,
  reads_unplaced: 0,
  reads_clock_skewed: 0,
  reads_lost: 0,
  read_errors: 0,
  messages_buried: 0,
  messages_over_rate: 0,
} as Parameters<typeof readProblemsOf>[0]

test('problems are counted in plain words', () => {
  const problems = readProblemsOf({ ...NONE, reads_unknown_tag: 1, messages_buried: 1_200 })
  expect(problems.filter(({ count }) => count > 0).map(({ counted }) => counted)).toEqual([
    '1 read of an unknown tag',
    '1,200 messages that could not be understood',
  ])
  expect(problems[1]).toMatchObject({
    label: 'Reads without a location',
    counted: '0 reads without a location',
  })
})

test('reads and messages are counted', () => {
  expect(readsText({ reads: 1, messages: 1 })).toBe('1 read in 1 message')
  expect(readsText({ reads: 2, messages: 0 })).toBe('2 reads in 0 messages')
})
