import { fc } from '@whereabouts/testing/fuzz'
import { expect, test } from 'vitest'
import { waitingLines } from './parent-order.ts'

test('D19.5 lines whose parents come earlier keep their places', () => {
  expect(waitingLines([{ line: 3, parent: 2 }, { line: 9, parent: 3 }])).toEqual([]) // oxfmt-ignore
})

test('D19.5 a line comes after the last of its ancestors, and before what it holds', () => {
  const children = [
    { line: 2, parent: 3 },
    { line: 3, parent: 7 },
    { line: 4, parent: 2 },
    { line: 8, parent: 2 },
  ]
  expect(waitingLines(children)).toEqual([
    { line: 2, after: 7, depth: 2 },
    { line: 3, after: 7, depth: 1 },
    { line: 4, after: 7, depth: 3 },
  ])
})

test('D19.5 a circle, and what is below it, comes last', () => {
  const children = [
    { line: 5, parent: 5 },
    { line: 2, parent: 3 },
    { line: 3, parent: 2 },
    { line: 4, parent: 3 },
  ]
  const found = waitingLines(children).toSorted((a, b) => a.line - b.line)
  expect(found).toEqual([2, 3, 4, 5].map((line) => ({ line, after: null, depth: 0 })))
})

test('D19.5 in any file, no line outside a circle comes before its parent', () => {
  const file = fc.array(fc.nat({ max: 14 }), { maxLength: 14 })
  fc.assert(
    fc.property(file, (parents) => {
      const children = parents.map((parent, line) => ({ line, parent }))
      const waiting = new Map(waitingLines(children).map((one) => [one.line, one]))
      const placeOf = (line: number) => waiting.get(line) ?? { after: line, depth: 0 }
      for (const { line, parent } of children) {
        const [own, above] = [placeOf(line), placeOf(parent)]
        if (own.after === null) continue
        expect([above.after, own.after]).not.toContain(null)
        expect(own.after).toBeGreaterThanOrEqual(line)
        const isBelow = own.after === above.after ? own.depth > above.depth : own.after > (above.after ?? 0)
        expect(isBelow).toBe(true)
      }
    }),
  )
})
