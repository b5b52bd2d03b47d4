import { expect, test } from 'vitest'
import { jsonInSlices, mapInSlices } from './slices.ts'

test('items are handled in order, and other work runs in between', async () => {
  let turns = 0
  const count = () => {
    turns += 1
    if (turns < 10) setImmediate(count)
  }
  setImmediate(count)
  const busy = (item: number) => {
    const until = performance.now() + 11
    while (performance.now() < until);
    return [item, turns]
  }
  const results = await mapInSlices([1, 2, 3, 4], busy)
  expect(results.map(([item]) => item)).toEqual([1, 2, 3, 4])
  expect(results.map(([, seen]) => seen)).toEqual([0, 1, 2, 3])
})

test('a failed item rejects the whole', async () => {
  const fail = () => {
    throw new Error('no')
  }
  await expect(mapInSlices([1, 2], fail)).rejects.toThrow('no')
})

test('the JSON of a list equals that of JSON.stringify', async () => {
  for (const list of [[], [1, { a: 'x"' }, null, [true]]])
    expect(await jsonInSlices(list)).toBe(JSON.stringify(list))
})
