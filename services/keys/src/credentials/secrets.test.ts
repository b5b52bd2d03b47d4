import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { newSealedKey, openSealedKey } from './tokens/sealed-keys.ts'
import { hashSecret, newClientSecret, secretMatches } from './secrets.ts'

test('a client secret is the prefix and 64 hex characters, and never the same', () => {
  expect(newClientSecret()).toMatch(/^wb_[0-9a-f]{64}$/)
  expect(newClientSecret()).not.toBe(newClientSecret())
})

test('a secret matches its own hash and nothing else', () => {
  const secret = newClientSecret()
  expect(secretMatches(secret, hashSecret(secret))).toBe(true)
  expect(secretMatches(secret, hashSecret(newClientSecret()))).toBe(false)
  expect(secretMatches(secret, undefined)).toBe(false)
})

test('a sealed key opens under its secret and its own kid only', () => {
  const secret = randomBytes(32)
  const key = newSealedKey(secret)
  expect(openSealedKey(key, secret).export({ format: 'jwk' })).toMatchObject({ x: key.public_key })
  expect(() => openSealedKey(key, randomBytes(32))).toThrow(key.kid)
  expect(() => openSealedKey({ ...key, kid: 'other' }, secret)).toThrow('cannot be opened')
  const damaged = Buffer.from(key.private_key)
  damaged.writeUInt8(damaged.readUInt8(40) ^ 1, 40)
  expect(() => openSealedKey({ ...key, private_key: damaged }, secret)).toThrow('cannot be opened')
})
