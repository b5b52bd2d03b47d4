import { expect, test } from 'vitest'
import { AppError } from './app-error.ts'

test('a fault says where it was made; a refusal does not, and changes nothing for other errors', () => {
  expect(new AppError('internal_error', 'Broken').stack).toContain('app-error.test.ts')
  expect(new AppError('unauthorized', 'No token').stack).toBe('AppError: No token')
  expect(new Error('another').stack).toContain('app-error.test.ts')
})
