import { expect, test } from 'vitest'
import { NO_VISITS, stayWords } from './stay-words.ts'

const week = (visits: number, seconds_median = 0, seconds_p95 = 0) => ({
  visits,
  assets: Math.ceil(visits / 2),
  seconds_median,
  seconds_p95,
})

test('a week is said with how it differs from the one before', () =>
  expect(stayWords(week(12, 5_400, 18_600), week(1, 4_200, 18_630), 3)).toEqual([
    '12 visits of 6 assets in the last 7 days, 1 visit in the 7 days before.',
    'Half of them are over after: 1 h 30 min, 20 min longer than the week before.',
    'Nineteen of twenty are over after: 5 h 10 min, as the week before.',
    'Still inside: 3 assets.',
  ]))

test('a shorter week, one without another before, and one without visits', () => {
  expect(stayWords(week(2, 60, 60), week(2, 3_660, 60), 0)[1]).toBe(
    'Half of them are over after: 1 min, 1 h shorter than the week before.',
  )
  expect(stayWords(week(2, 60, 60), NO_VISITS, 1)).toEqual([
    '2 visits of 1 asset in the last 7 days, none in the 7 days before.',
    'Half of them are over after: 1 min.',
    'Nineteen of twenty are over after: 1 min.',
    'Still inside: 1 asset.',
  ])
  expect(stayWords(NO_VISITS, week(3, 60, 60), 0)).toEqual([
    '0 visits of 0 assets in the last 7 days, 3 visits in the 7 days before.',
    'Still inside: 0 assets.',
  ])
  expect(stayWords(NO_VISITS, NO_VISITS, 2)).toEqual([
    'No visits in the last two weeks.',
    'Still inside: 2 assets.',
  ])
})
