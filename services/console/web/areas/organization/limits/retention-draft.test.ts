import { expect, test } from 'vitest'
import { changesOf, checksOf, deletionsOf, draftOf, type Retention } from './retention-draft.ts'

const STORED: Retention = { asset: null, person: 30, inventory: 500 } // more than the installation keeps now
const INSTALLED = 400

const ofPeople = (days: number) => `History of people older than ${days} days is deleted within an hour.`
const cases = [
  { typed: {}, changes: {}, deletions: [] },
  { typed: { person: '30' }, changes: {}, deletions: [] },
  { typed: { person: '29' }, changes: { person: 29 }, deletions: [ofPeople(29)] },
  { typed: { person: '31' }, changes: { person: 31 }, deletions: [] },
  { typed: { person: '' }, changes: { person: null }, deletions: [] },
  { typed: { asset: '400' }, changes: { asset: 400 }, deletions: [] },
  { typed: { inventory: '400' }, changes: { inventory: 400 }, deletions: [] },
  { typed: { inventory: '' }, changes: { inventory: null }, deletions: [] },
  {
    typed: { asset: '399', person: '007' },
    changes: { asset: 399, person: 7 },
    deletions: ['History of things older than 399 days is deleted within an hour.', ofPeople(7)],
  },
]

test.for(cases)('$typed is sent and announced', ({ typed, changes, deletions }) => {
  const found = changesOf(STORED, draftOf(STORED, typed))
  expect(found).toEqual(changes)
  expect(deletionsOf(STORED, found, INSTALLED)).toEqual(deletions)
})

test('days are between 7 and those of the installation', () => {
  const problem = 'Enter a whole number from 7 to 400.'
  const checks = (days: number) => checksOf({ person: days }, INSTALLED)['retention_days.person']
  expect([0, 6, 7, 400, 401].map(checks)).toEqual([problem, problem, undefined, undefined, problem])
  expect(checksOf({ person: null }, INSTALLED)).toEqual({})
})
