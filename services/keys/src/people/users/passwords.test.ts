import { FairGate } from '@whereabouts/service-kit/limits/fair-gate'
import { expect, test } from 'vitest'
import { createPasswords } from './passwords.ts'

const gate = new FairGate<string>({ running: 2 })
const passwords = createPasswords((source, work) => gate.run(source, work))

test('a password matches its own hash and no other', async () => {
  const stored = await passwords.hash('a', 'correct horse')
  expect(await passwords.matches('a', 'correct horse', stored)).toBe(true)
  expect(await passwords.matches('a', 'correct horsf', stored)).toBe(false)
})

test('equal passwords are stored differently', async () => {
  const [a, b] = await Promise.all([
    passwords.hash('a', 'correct horse'),
    passwords.hash('a', 'correct horse'),
  ])
  expect(a.password_hash.equals(b.password_hash)).toBe(false)
})

test('the composed and the decomposed form of a letter are one password', async () => {
  const stored = await passwords.hash('a', 'caf\u00e9 au lait')
  expect(await passwords.matches('a', 'cafe\u0301 au lait', stored)).toBe(true)
})

test('a hash includes its cost', async () => {
  const stored = await passwords.hash('a', 'correct horse')
  expect(await passwords.matches('a', 'correct horse', { ...stored, password_passes: 3 })).toBe(false)
})

test('an unknown user matches no password, and the check costs a hash all the same', async () => {
  let hashes = 0
  const counting = createPasswords((_source, work) => {
    hashes += 1
    return work()
  })
  expect(await counting.matches('a', 'correct horse', undefined)).toBe(false)
  expect(hashes).toBe(1)
})
