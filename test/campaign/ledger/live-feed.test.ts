import { expect, test } from 'vitest'
import { checkLiveFeed } from './live-feed.ts'

const movements = ['a', 'b', 'c'].map((deliveryId) => ({
  deliveryId,
  assetId: 1,
  occurredAtMs: 0,
  fromId: null,
  toId: 2,
}))
const kinds = (deliveryIds: string[], resets = 0) =>
  checkLiveFeed(5, movements, { deliveryIds, resets }).map(({ kind }) => kind)

test('every movement once, in any order, is right', () => expect(kinds(['a', 'c', 'b'])).toEqual([]))
test('a gap is found', () => expect(kinds(['a', 'c'])).toEqual(['live movement missing']))
test('a repetition is found', () => expect(kinds(['a', 'b', 'b', 'c'])).toEqual(['live movement twice']))
test('a movement of nobody is found', () =>
  expect(kinds(['a', 'b', 'c', 'z'])).toEqual(['live movement unknown']))
test('a reset is found', () => expect(kinds(['a', 'b', 'c'], 1)).toEqual(['live feed reset']))
