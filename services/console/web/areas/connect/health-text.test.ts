import { expect, test } from 'vitest'
import {
  clockText,
  detailPairs,
  problemShareText,
  problemText,
  readProblemsOf,
  readsByHourText,
  readsText,
  signalText,
} from './health-text.ts'
import { lastHourText } from '../../parts/readers/last-hour.ts'

test.for([
  { offsetMs: null, want: '–' },
  { offsetMs: -140, want: 'In sync' },
  { offsetMs: 31_000, want: '31 s ahead' },
  { offsetMs: -7_500_000, want: '2 h 5 min behind' },
])('a clock off by $offsetMs ms', ({ offsetMs, want }) => expect(clockText(offsetMs)).toBe(want))

test('the last hours are said in words', () => {
  expect(lastHourText({ problems_last_hour: 0, messages_last_hour: 1 })).toBe(
    '0 of 1 message in the last hour',
  )
  expect(readsByHourText({ reads_by_hour: [0, 1_200, 34] })).toBe(
    '1,234 reads in 24 hours. Busiest hour: 1,200',
  )
  expect(readsByHourText({ reads_by_hour: [0, 0] })).toBe('No reads in 24 hours')
  expect([signalText(-54.25), signalText(null)]).toEqual(['−54.3 dBm', '–'])
})

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

test.for([
  [0, 10, '0%'],
  [30, 6_127, '0.5%'],
  [1, 5_000, '< 0.1%'],
  [5, 5, '100%'],
  [2, 1, '100%'], // both are estimates
] as const)('%i of %i messages with problems are %s', ([problems, messages, text]) =>
  expect(problemShareText({ problems_last_hour: problems, messages_last_hour: messages })).toBe(text),
)

test.for([
  ['malformed_json at ', 'Not JSON, or incomplete.'],
  ['unknown_event at /2', 'An event of an unknown kind, at /2.'],
  ['not a zebra message: malformed_json', 'Not a zebra message: not JSON, or incomplete.'],
  ['new_fault', 'New fault.'],
  ['3 messages dropped. Send fewer.', '3 messages dropped. Send fewer.'],
] as const)('the problem %s is %s', ([problem, text]) => expect(problemText(problem)).toBe(text))

test('a report of the device is names and values', () =>
  expect(
    detailPairs({ free_percent: 89, radio: { is_on: true, zones: [1, 2] }, cause: null, state: 'high' }),
  ).toEqual([
    ['Free percent', '89'],
    ['Radio, Is on', 'Yes'],
    ['Radio, Zones', '1, 2'],
    ['Cause', '–'],
    ['State', 'high'],
  ]))

test('reads and messages are counted', () => {
  expect(readsText({ reads: 1, messages: 1 })).toBe('1 read in 1 message')
  expect(readsText({ reads: 2, messages: 0 })).toBe('2 reads in 0 messages')
})
