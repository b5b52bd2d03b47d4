import { expect, test } from 'vitest'
import { bodyBudget } from './body-budget.ts'

test('one address holds at most half of the budget, all together no more than the budget', () => {
  const budget = bodyBudget(100)
  const first = budget.take('203.0.113.1', 50)
  expect(first).toBeDefined()
  expect(budget.take('203.0.113.1', 1)).toBeUndefined()
  expect(budget.take('2001:db8::1', 50)).toBeDefined()
  expect(budget.take('198.51.100.1', 1)).toBeUndefined()
  first?.release()
  first?.release()
  expect(budget.take('2001:db8::2', 1)).toBeUndefined() // the same /64
  expect(budget.take('198.51.100.1', 50)).toBeDefined()
  expect(budget.take('203.0.113.1', 1)).toBeUndefined()
})

test('a body that arrived smaller than reserved frees the difference', () => {
  const budget = bodyBudget(100)
  budget.take('203.0.113.1', 50)?.shrinkTo(10)
  expect(budget.take('203.0.113.1', 41)).toBeUndefined()
  expect(budget.take('203.0.113.1', 40)).toBeDefined()
})
