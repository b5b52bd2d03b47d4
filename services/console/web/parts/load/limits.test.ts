import { expect, test } from 'vitest'
import { adviceOf, amountText, isNear, labelOf, percentOf } from './limits.ts'

const limitOf = (name: string, used: number, limit: number) => ({ name, used, limit })

test.for([
  { used: 0, limit: 0, percent: 100, near: false },
  { used: 0, limit: 10, percent: 0, near: false },
  { used: 899, limit: 1_000, percent: 89, near: false },
  { used: 900, limit: 1_000, percent: 90, near: true },
  { used: 999_999, limit: 1_000_000, percent: 99, near: true },
  { used: 12, limit: 10, percent: 100, near: true }, // an operator lowered it
])('$used of $limit is $percent %, and near: $near', ({ used, limit, percent, near }) => {
  const one = limitOf('assets', used, limit)
  expect([percentOf(one), isNear(one)]).toEqual([percent, near])
})

test('a full history needs nobody: old days leave', () => {
  expect(isNear(limitOf('history_days', 400, 400))).toBe(false)
})

test('bytes are MiB, and the rest is a count', () => {
  expect(amountText(limitOf('image_bytes', 0, 0), 2 ** 20 * 1.5)).toBe('1.5 MiB')
  expect(amountText(limitOf('assets', 0, 0), 1_000)).toBe(new Intl.NumberFormat().format(1_000))
})

test('the advice says how full it is and what to do, also for a limit that this console does not know', () => {
  expect(adviceOf(limitOf('api_keys', 190, 200))).toBe(
    'Almost full. Revoke keys that you no longer use, or ask your operator to raise the limit.',
  )
  expect(adviceOf(limitOf('geo_fences', 3, 3))).toBe(
    'Full. Delete what you no longer need, or ask your operator to raise the limit.',
  )
  expect(labelOf(limitOf('geo_fences', 3, 3))).toBe('geo fences')
})
