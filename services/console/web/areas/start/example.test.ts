import { expect, test } from 'vitest'
import { exampleTag } from './example.ts'

test.for([
  ['rfid', /^E2801160[0-9A-F]{16}$/],
  ['ble', /^AC:23:3F(:[0-9A-F]{2}){3}$/],
  ['barcode', /^\d{13}$/],
] as const)('an example of %s looks real, and each is another one', ([type, pattern]) => {
  const values = Array.from({ length: 20 }, () => exampleTag(type))
  for (const value of values) expect(value).toMatch(pattern)
  expect(new Set(values).size).toBe(20)
})
