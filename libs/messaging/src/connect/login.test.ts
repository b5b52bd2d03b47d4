import { expect, test } from 'vitest'
import { loginOf } from './login.ts'

/** The passwords of the next attempts. */
const attempts = ({ authenticator }: ReturnType<typeof loginOf>, count: number) =>
  Array.from({ length: count }, () => (authenticator() as { pass: string }).pass)

test('one password is used for every attempt', () => {
  const login = loginOf({ user: 'services', password: 'one' })
  expect(login.authenticator()).toEqual({ user: 'services', pass: 'one' })
  login.accepted()
  expect(attempts(login, 3)).toEqual(['one', 'one', 'one'])
})

test('of two passwords the first is tried first, and later the one that was accepted', () => {
  const login = loginOf({ user: 'services', password: 'new, old' })
  expect(attempts(login, 2)).toEqual(['new', 'old'])
  login.accepted()
  expect(attempts(login, 2)).toEqual(['old', 'new'])
  login.accepted()
  expect(attempts(login, 1)).toEqual(['new'])
  login.accepted()
  login.accepted() // without an attempt in between
  expect(attempts(login, 1)).toEqual(['new'])
})

test.for([1, 2, 3, 4, 5, 7])('each of %i brokers meets both passwords', (brokers) => {
  const tried = attempts(loginOf({ user: 'services', password: 'new,old' }), 40 * brokers) // by chance, once in a trillion runs it does not
  for (let broker = 0; broker < brokers; broker += 1)
    expect(new Set(tried.filter((_, attempt) => attempt % brokers === broker)).size).toBe(2)
})
