import { expect, test } from 'vitest'
import { sharesOf } from './shares.ts'

const members = (count: number) => Array.from({ length: count }, (_, i) => `tracking-${i}-5d8c`)

test('every partition has an owner, the same in whatever order the names come', () => {
  expect(sharesOf(3, [])).toEqual([undefined, undefined, undefined])
  const names = members(5)
  expect(sharesOf(64, [...names.toReversed(), ...names])).toEqual(sharesOf(64, names))
})

test.for([1, 2, 4, 16, 64])('shares of %i partitions are even', (count) => {
  for (const replicas of [1, 2, 3, 4, 7]) {
    const owners = sharesOf(count, members(replicas))
    const sizes = members(replicas).map((name) => owners.filter((owner) => owner === name).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(count)
    expect(Math.max(...sizes)).toBe(Math.ceil(count / replicas))
  }
})

test('a member that leaves or comes moves at most three times its share', () => {
  for (const replicas of [2, 3, 4, 8]) {
    const all = members(replicas)
    const before = sharesOf(64, all)
    for (const left of all) {
      const after = sharesOf(64, all.filter((name) => name !== left)) // oxfmt-ignore
      const moved = after.filter((owner, partition) => owner !== before[partition])
      expect(moved.length).toBeLessThanOrEqual((3 * 64) / replicas)
    }
  }
})
