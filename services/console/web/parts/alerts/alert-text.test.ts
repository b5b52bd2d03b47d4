import { expect, test } from 'vitest'
import {
  type Alert,
  becauseText,
  bellNumber,
  bellText,
  byText,
  isStale,
  raisedOf,
  STALE_MS,
  worstOf,
} from './alert-text.ts'

const alert = (severity: string) => ({ rule: { severity } }) as Alert

test('the worst of some alerts', () => {
  expect(worstOf([alert('info'), alert('critical'), alert('warning')])).toBe('critical')
  expect(worstOf([alert('of a newer API'), alert('info')])).toBe('info')
  expect([worstOf([]), worstOf([alert('of a newer API')])]).toEqual([undefined, undefined])
})

/** A server with these alerts, newest first, and what it was asked. */
function server(...severities: string[]) {
  const asked: string[] = []
  const load = async ({ limit, severity }: { limit: number; severity?: string[] }) => {
    asked.push(severity?.join() ?? 'all')
    const found = severities.filter((each) => !severity || severity.includes(each))
    return { data: found.slice(0, limit).map(alert), total_count: found.length }
  }
  return { asked, load }
}

test.for([
  { has: [], count: 0, worst: undefined, asked: ['all'] },
  { has: ['info', 'warning'], count: 2, worst: 'warning', asked: ['all'] },
  { has: ['critical', 'info', 'info', 'info', 'info', 'info'], count: 6, worst: 'critical', asked: ['all'] },
  {
    has: ['info', 'info', 'info', 'info', 'info', 'critical'],
    count: 6,
    worst: 'critical',
    asked: ['all', 'critical'],
  },
  {
    has: ['info', 'info', 'info', 'info', 'info', 'warning'],
    count: 6,
    worst: 'warning',
    asked: ['all', 'critical', 'warning'],
  },
  {
    has: ['info', 'info', 'info', 'info', 'info', 'info'],
    count: 6,
    worst: 'info',
    asked: ['all', 'critical', 'warning'],
  },
])('the worst of all is found also behind the newest: $has', async ({ has, count, worst, asked }) => {
  const far = server(...has)
  const { newest, ...rest } = await raisedOf(far.load)
  expect([rest, newest.length, far.asked]).toEqual([{ count, worst }, Math.min(5, has.length), asked])
})

test.for([
  ['fresh', {}, 0, false],
  ['a little old', {}, STALE_MS, false],
  ['old, as after a sleep', {}, STALE_MS + 1, true],
  ['not loaded the last time', { isError: true }, 0, true],
  ['waiting for a network', { fetchStatus: 'paused' }, 0, true],
] as const)('%s', ([, state, age, want]) => {
  const known = { dataUpdatedAt: 1_000, isError: false, fetchStatus: 'idle', ...state }
  expect(isStale(known, 1_000 + age)).toBe(want)
})

test('the bell says how many, how bad, and whether that is still true', () => {
  const raised = (count: number, worst?: 'critical' | 'info') => ({ count, worst, newest: [] })
  expect([
    bellText(undefined, false),
    bellText(undefined, true),
    bellText(raised(0), false),
    bellText(raised(1, 'info'), false),
    bellText(raised(3, 'critical'), true),
  ]).toEqual([
    'Alerts',
    'Alerts: could not be loaded',
    'No alerts',
    '1 alert, Info',
    '3 alerts, worst: Critical, may be out of date',
  ])
  expect([bellNumber(99), bellNumber(100)]).toEqual(['99', '99+'])
})

test('reasons and names are words, also those of a newer API', () => {
  expect([becauseText('rule_disabled'), becauseText('moon'), becauseText(null)]).toEqual([
    'The rule was switched off.',
    'moon',
    '',
  ])
  const by = (type: string, name: string | null) => byText({ acknowledged_by: { type, id: 1, name } })
  expect([by('user', 'Ada'), by('key', null), by('user', null)]).toEqual(['Ada', 'an API key', 'somebody'])
})
