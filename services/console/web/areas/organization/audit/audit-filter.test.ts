import { expect, test } from 'vitest'
import { DEFAULTS, queryOf } from './audit-filter.ts'

test('an empty filter asks for everything', () => expect(queryOf(DEFAULTS)).toEqual({}))

test('what is chosen is asked for', () => {
  const filter = { ...DEFAULTS, actor: '7', type: 'asset', thing: '9', action: 'asset.update' }
  expect(queryOf({ ...filter, from: '2026-11-21T08:00' })).toEqual({
    actor_id: 7,
    subject_type: 'asset',
    subject_id: 9,
    action: 'asset.update',
    from: new Date('2026-11-21T08:00').toISOString(),
  })
})

test.each(['x', '-1', '0', '1e3', '1.5'])('the number %s of a link is left out', (text) =>
  expect(queryOf({ ...DEFAULTS, actor: text, thing: text })).toEqual({}),
)
