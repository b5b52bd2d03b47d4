import { expect, test } from 'vitest'
import { DEFAULTS, idsOf, isFiltered, queryOf } from './alert-filter.ts'

test('without a filter, what is open is asked for', () => {
  expect(queryOf(DEFAULTS)).toEqual({ state: ['raised', 'acknowledged'] })
  expect(isFiltered({ ...DEFAULTS, offset: '50' })).toBe(false)
})

test.for([
  [{ state: 'all' }, {}],
  [
    { state: 'resolved', severity: 'critical' },
    { state: ['resolved'], severity: ['critical'] },
  ],
  [
    { rule: '7', asset: '8', reader: '9' },
    { state: ['raised', 'acknowledged'], rule_id: [7], asset_id: [8], reader_id: [9] },
  ],
  [{ state: 'all', location: '3,4' }, { location_id: [3, 4] }],
  [{ state: 'all', from: '2026-11-21T08:00' }, { from: new Date('2026-11-21T08:00').toISOString() }],
] as const)('%o asks for %o', ([change, want]) => {
  const filter = { ...DEFAULTS, ...change }
  expect(queryOf(filter)).toEqual(want)
  expect(isFiltered(filter)).toBe(true)
})

test('what a link cannot mean is left out: an unknown state is open', () => {
  expect(idsOf('1,x,,-2,0,1e3,5')).toEqual([1, 5])
  expect(queryOf({ ...DEFAULTS, state: 'closed', severity: 'loud', rule: 'x' })).toEqual(queryOf(DEFAULTS))
})
