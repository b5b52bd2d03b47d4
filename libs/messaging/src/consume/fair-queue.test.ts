import { expect, test } from 'vitest'
import type { Delivery } from '../messages/delivery.ts'
import { FairQueue } from './fair-queue.ts'
import { bytesAtATime, isOverShare } from './fair-share.ts'

const KIB = 1024
/** A delivery with the fields that a queue uses. */
const sized = (group: string, bytes: number) =>
  ({ group, data: new Uint8Array(bytes), arrivedAt: 0 }) as Delivery

function filled(lines: Record<string, number[]>) {
  const queue = new FairQueue()
  const names = new Map<Delivery, string>()
  for (const [group, sizes] of Object.entries(lines))
    for (const [i, bytes] of sizes.entries()) {
      const delivery = sized(group, bytes)
      names.set(delivery, `${group}${i + 1}`)
      queue.push(delivery)
    }
  return {
    queue,
    take: (max: number, maxBytes = Number.POSITIVE_INFINITY) =>
      queue.take(max, maxBytes).map((delivery) => names.get(delivery)),
  }
}
const many = (count: number, bytes: number) => Array.from({ length: count }, () => bytes)

test('a single group is served first in, first out, within the bounds of count and bytes', () => {
  const { take, queue } = filled({ a: [10, 10, 10, 10, 10] })
  expect(take(2)).toEqual(['a1', 'a2'])
  expect(take(10, 15)).toEqual(['a3', 'a4'])
  expect(take(10)).toEqual(['a5'])
  expect([queue.length, queue.bytes, queue.costOf('a')]).toEqual([0, 0, 0])
})

test('no group waits behind the backlog of another, whether its messages are large or tiny', () => {
  for (const bytes of [256 * KIB, 10]) {
    const { take } = filled({ flood: many(400, bytes), quiet: [100] })
    expect(take(130)).toContain('quiet1')
  }
})

test('groups get the same number of bytes, whether their messages are large or small', () => {
  const { take } = filled({ large: many(8, 256 * KIB), small: many(2_000, 2 * KIB) })
  const taken = take(Number.POSITIVE_INFINITY, 1024 * KIB)
  const large = taken.filter((name) => name?.startsWith('large')).length * 256
  const small = taken.filter((name) => name?.startsWith('small')).length * 2.5
  expect(Math.abs(large - small)).toBeLessThanOrEqual(256)
})

test('a group keeps its order over turns, and removeIf() keeps that of the others', () => {
  const { take, queue } = filled({ a: many(300, KIB), b: many(300, KIB) })
  const taken = Array.from({ length: 11 }, () => take(50)).flat()
  for (const group of ['a', 'b']) {
    const ours = taken.filter((name) => name?.startsWith(group))
    expect(ours).toEqual(Array.from(ours, (_, i) => `${group}${i + 1}`))
  }
  const before = [...queue]
  const isMeant = (delivery: (typeof before)[number]) => before.indexOf(delivery) % 3 === 0
  expect(queue.removeIf(isMeant)).toEqual(before.filter(isMeant))
  expect([...queue]).toEqual(before.filter((delivery) => !isMeant(delivery)))
  expect([queue.length, queue.bytes]).toEqual([33, 33 * KIB])
  queue.removeIf(() => true)
  expect([queue.length, queue.bytes]).toEqual([0, 0])
})

test('a group is over its share only if it holds much and another active group much less', () => {
  const over = (lines: Record<string, number[]>, active: number) => {
    const { queue } = filled(lines)
    return isOverShare(queue.largestCost, queue, { active })
  }
  const much = many(32, 256 * KIB)
  expect(over({ a: much }, 1)).toBe(false)
  expect(over({ a: much }, 2)).toBe(true)
  expect(over({ a: [100 * KIB] }, 2)).toBe(false)
  // Groups that flood alike take turns in memory.
  expect(over({ a: much, b: much, c: many(9, 256 * KIB) }, 3)).toBe(false)
  expect(over({ a: much, b: much, c: many(7, 256 * KIB) }, 3)).toBe(true)
  expect(over({ a: much, b: much }, 3)).toBe(true)
})

test('steps are small while a quiet group is active, and large if all groups are alike', () => {
  const { queue } = filled({ a: many(1_000, 4 * KIB), b: many(1_000, 4 * KIB) })
  expect(bytesAtATime(4_096 * KIB, queue, { active: 2 })).toBe(4_096 * KIB)
  expect(bytesAtATime(4_096 * KIB, queue, { active: 3 })).toBe(512 * KIB)
  expect(bytesAtATime(64 * KIB, queue, { active: 3 })).toBe(64 * KIB)
})
