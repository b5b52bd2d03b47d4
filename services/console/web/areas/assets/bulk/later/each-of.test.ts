import { expect, test } from 'vitest'
import { eachOf } from './each-of.ts'

test('each item is done once, five at once, and one that fails stops no other', async () => {
  const items = Array.from({ length: 23 }, (_, i) => i)
  const counts: number[] = []
  let running = 0
  let most = 0
  const { done, failed } = await eachOf(
    items,
    async (item) => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
      if (item % 10 === 3) throw new Error(`no ${item}`)
      return item * 2
    },
    (count) => counts.push(count),
  )
  expect(most).toBe(5)
  expect(done.map(({ item }) => item).toSorted((a, b) => a - b)).toEqual(items.filter((i) => i % 10 !== 3))
  expect(done.every(({ item, result }) => result === item * 2)).toBe(true)
  expect(failed.map(({ item }) => item).toSorted((a, b) => a - b)).toEqual([3, 13])
  expect(failed.every(({ reason }) => reason !== '')).toBe(true)
  expect(counts).toEqual(items.map((i) => i + 1))
})
