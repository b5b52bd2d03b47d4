import { expect, test } from 'vitest'
import { bodyBudget } from './body-budget.ts'

test('one holder holds at most half of the budget, all together no more than the budget', () => {
  const budget = bodyBudget(100)
  const first = budget.take('203.0.113.1/32', 50)
  expect(first).toBeDefined()
  expect(budget.take('203.0.113.1/32', 1)).toBeUndefined()
  expect(budget.take(7, 50)).toBeDefined()
  expect(budget.take(8, 1)).toBeUndefined()
  first?.release()
  first?.release()
  expect(budget.take(7, 1)).toBeUndefined()
  expect(budget.take(8, 50)).toBeDefined()
  expect(budget.take('203.0.113.1/32', 1)).toBeUndefined()
})

test('a body that arrived smaller than reserved frees the difference', () => {
  const budget = bodyBudget(100)
  budget.take(7, 50)?.shrinkTo(10)
  expect(budget.take(7, 41)).toBeUndefined()
  expect(budget.take(7, 40)).toBeDefined()
})
