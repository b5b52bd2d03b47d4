import { expect, test } from 'vitest'
import { checkThing, type State, type Thing } from './things.ts'

const before: State = { name: 'Box', externalKey: 'B-1', tags: ['barcode:1', 'barcode:2'] }
const after: State = { ...before, name: 'Crate' }
const thing = (...states: Thing['states']): Thing => ({
  resource: 'assets',
  orgId: 5,
  id: 1,
  key: 'B-1',
  states,
})
const kinds = (states: Thing['states'], shown: State | undefined) =>
  checkThing(thing(...states), shown, 'at the end').map(({ kind }) => kind)

test('an acknowledged write must be there; the order of tags does not matter', () => {
  expect(kinds([after], { ...after, tags: after.tags.toReversed() })).toEqual([])
  expect(kinds([after], before)).toEqual(['write lost'])
  expect(kinds([after], undefined)).toEqual(['write lost'])
})

test('a write without an answer may be there or not, but nothing else', () => {
  expect(kinds([before, after], before)).toEqual([])
  expect(kinds([before, after], after)).toEqual([])
  expect(kinds([before, undefined], undefined)).toEqual([])
  expect(kinds([before, after], { ...after, externalKey: 'B-2' })).toEqual(['write lost'])
})

test('what was deleted stays deleted', () => expect(kinds([undefined], before)).toEqual(['write lost']))
