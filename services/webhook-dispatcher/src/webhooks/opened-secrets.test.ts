import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { OpenedSecrets } from './opened-secrets.ts'
import { sealSecret, type SecretKeys } from './secrets.ts'

const keys: SecretKeys = [{ id: 'k1', key: randomBytes(32) }]

test('a webhook that was created again has its own secret, though the organization is the same', () => {
  const opened = new OpenedSecrets(keys)
  expect(opened.open(1, sealSecret(keys, 1, 'whsec_a'))).toBe('whsec_a')
  const second = sealSecret(keys, 1, 'whsec_b')
  expect(opened.open(1, second)).toBe('whsec_b')
  expect(opened.open(1, second)).toBe('whsec_b')
})

test("another organization's row does not open, though it was opened by its owner a moment ago", () => {
  const opened = new OpenedSecrets(keys)
  const sealed = sealSecret(keys, 1, 'whsec_a')
  expect(opened.open(1, sealed)).toBe('whsec_a')
  expect(() => opened.open(2, sealed)).toThrow()
})
