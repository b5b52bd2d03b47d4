import { expect, test } from 'vitest'
import { shrink } from './shrink.ts'

const numbers = Array.from({ length: 64 }, (_, i) => i)
const holds = (needed: readonly number[]) => {
  const asked: (readonly number[])[] = []
  const fails = async (part: readonly number[]) => {
    asked.push(part)
    return needed.every((n) => part.includes(n))
  }
  return { asked, fails }
}

test.for([[[17]], [[0, 63]], [[3, 4, 40]], [[1, 20, 33, 50]]])(
  'finds exactly the faults that are needed: %j',
  async ([needed = []]) => {
    expect(await shrink(numbers, holds(needed).fails)).toEqual(needed)
  },
)

test('needs few trials for one fault of many', async () => {
  const { asked, fails } = holds([17])
  await shrink(numbers, fails)
  expect(asked.length).toBeLessThan(16)
})

test('never tries nothing, and keeps what is left when no more trials are allowed', async () => {
  const { asked, fails } = holds([3, 40])
  const kept = await shrink(numbers, fails, 3)
  expect(asked.length).toBe(3)
  expect(asked.every((part) => part.length > 0)).toBe(true)
  expect(kept).toEqual(expect.arrayContaining([3, 40]))
})

test('keeps everything if it fails only as a whole', async () => {
  expect(await shrink([1, 2, 3], holds([1, 2, 3]).fails)).toEqual([1, 2, 3])
})
