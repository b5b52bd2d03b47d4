import { expect, test } from 'vitest'
import type { Asset } from '../assets/asset-fields.ts'
import { MOST_SELECTED, newSelection } from './selection.ts'

const asset = (id: number, deleted_at: string | null = null) => ({ id, deleted_at }) as Asset
const ids = (selection: ReturnType<typeof newSelection>) => [...selection.all().keys()]

test('assets of several pages are chosen, once each, and can be left out again', () => {
  const selection = newSelection()
  selection.add([asset(1), asset(2)])
  selection.add([asset(2), asset(3)])
  expect(ids(selection)).toEqual([1, 2, 3])
  selection.remove([2, 9])
  expect(ids(selection)).toEqual([1, 3])
  selection.clear()
  expect(ids(selection)).toEqual([])
})

test('a deleted asset is not chosen', () => {
  const selection = newSelection()
  selection.add([asset(1, '2026-11-21T08:30:00Z'), asset(2)])
  expect(ids(selection)).toEqual([2])
})

test('no more are chosen than one request takes', () => {
  const selection = newSelection()
  for (let page = 0; page < 5; page += 1)
    selection.add(Array.from({ length: 50 }, (_, i) => asset(page * 50 + i + 1)))
  expect(selection.all().size).toBe(MOST_SELECTED)
})

test('who watches is told of each change, and not after leaving', () => {
  const selection = newSelection()
  let told = 0
  const leave = selection.subscribe(() => (told += 1))
  for (let i = 1; i <= 3; i += 1) selection.add([asset(i)])
  selection.clear()
  selection.clear() // nothing left to clear
  leave()
  selection.add([asset(1)])
  expect(told).toBe(4)
})
