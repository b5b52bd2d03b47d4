import { expect, test } from 'vitest'
import { email, externalKey, filled, httpsUrl, newPassword, problemsIn } from './checks.ts'

test('keeps only the fields with a problem', () => {
  expect(problemsIn({ name: filled(' '), email: email('ada@example.com') })).toEqual({
    name: 'Fill in this field.',
  })
})

test.for([
  ['', /Enter an email/],
  ['ada', /such as/],
  ['ada@example', /such as/],
  ['ada lovelace@example.com', /such as/],
] as const)('%o is no email address', ([value, expected]) => {
  expect(email(value)).toMatch(expected)
})

test.for([
  ['', /Choose a password/],
  ['short', /at least 10/],
  ['ADA@example.com', /other than your email/],
  ['x'.repeat(129), /at most 128/],
] as const)('%o is no new password', ([value, expected]) => {
  expect(newPassword(value, 'ada@example.com')).toMatch(expected)
})

test('counts characters, not UTF-16 units', () => {
  expect(newPassword('😀'.repeat(10))).toBeUndefined()
  expect(newPassword('😀'.repeat(9))).toMatch(/at least/)
})

test('keys have letters, digits and hyphens; an empty one is given by the server', () => {
  expect([externalKey(''), externalKey('A-1'), externalKey('A 1'), externalKey('Ä')].map((each) => each === undefined)).toEqual([true, true, false, false]) // oxfmt-ignore
})

test('an address is complete', () => {
  expect(httpsUrl('https://example.com/hook')).toBeUndefined()
  expect(httpsUrl('example.com')).toMatch(/complete/)
})
