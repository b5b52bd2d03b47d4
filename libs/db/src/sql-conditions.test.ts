import { expect, test } from 'vitest'
import { escapeLike } from './sql-conditions.ts'

test('the wildcards and the escape character of LIKE are escaped', () => {
  expect(escapeLike(String.raw`50%_\x`)).toBe(String.raw`50\%\_\\x`)
})
