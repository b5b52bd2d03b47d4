import { expect, test } from 'vitest'
import { AppError } from './app-error.ts'

test('a fault has a stack, a refusal has none, and other errors keep theirs', () => {
  expect(new AppError('internal_error', 'Broken').stack).toContain('app-error.test.ts')
  expect(new AppError('unauthorized', 'No token').stack).toBe('AppError: No token')
  expect(new Error('another').stack).toContain('app-error.test.ts')
})
