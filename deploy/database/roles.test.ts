import { expect, test } from 'vitest'
import { administrators } from './roles.ts'

const ADMIN = 'postgresql://boss:p%40ss@db:5432/postgres?sslmode=verify-full&sslrootcert=/a.crt'

test('with one server the administrator keeps the address that was given, also one that is not of the roles', () => {
  expect(administrators(ADMIN, ['postgresql://a:1@pooler:6432/w', 'postgresql://b:2@pooler:6432/w'])).toEqual(
    [ADMIN],
  )
})

test('with several, it logs in to each once, with the encryption of the roles there', () => {
  const urls = [
    'postgresql://catalog:1@db:5432/whereabouts?sslmode=verify-full&sslrootcert=/a.crt',
    'postgresql://keys:2@db:5432/whereabouts?sslmode=verify-full&sslrootcert=/a.crt',
    'postgresql://tracking:3@db-tracking:5432/whereabouts?sslmode=verify-full&sslrootcert=/b.crt',
  ]
  expect(administrators(ADMIN, urls)).toEqual([
    ADMIN,
    'postgresql://boss:p%40ss@db-tracking:5432/postgres?sslmode=verify-full&sslrootcert=/b.crt',
  ])
})
