import { expect, test } from 'vitest'
import { escapeLike } from './sql-conditions.ts'

test('the wildcards of LIKE and its escape match themselves', () => {
  expect(escapeLike(String.raw`50%_\x`)).toBe(String.raw`50\%\_\\x`)
})
