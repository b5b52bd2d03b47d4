import { expect, test } from 'vitest'
import { DEFAULTS, queryOf } from './filter.ts'
import { csvOf } from './movement-csv.ts'

const NOW = Date.parse('2026-11-25T10:00:00.000Z')

test('a span of minutes ends now, an own one at its end; a location has its sub-locations unless they are left out', () => {
  expect(queryOf(DEFAULTS, NOW)).toEqual({ from: '2026-11-25T09:00:00.000Z' })
  const own = { ...DEFAULTS, span: 'own', from: '2026-11-24T08:00', to: '' }
  expect(queryOf(own, NOW)).toEqual({ from: new Date('2026-11-24T08:00').toISOString() })
  expect(queryOf({ ...own, from: '', location: '7', asset: '9', inside: 'no' }, NOW)).toEqual({
    location_id: [7],
    include_descendants: false,
    asset_id: [9],
  })
})

test('a file for spreadsheets keeps quotes, and has no formulas', () => {
  const thing = (id: number, name: string | null) => ({ id, external_key: name && `K-${id}`, name })
  const rows = [
    {
      occurred_at: '2026-11-25T10:00:00.000Z',
      asset: thing(1, '=Pump "7"'),
      from_location: null,
      to_location: thing(2, null),
      dwell_seconds: 60,
    },
  ]
  expect(csvOf(rows).split('\r\n')).toEqual([
    'occurred_at,asset,asset_name,from,from_name,to,to_name,dwell_seconds',
    `"2026-11-25T10:00:00.000Z","K-1","'=Pump ""7""","","","","","60"`,
    '',
  ])
})
