import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { OpenedSecrets } from './opened-secrets.ts'
import { sealSecret, type SecretKeys } from './secrets.ts'

const keys: [SecretKeys[0]] = [{ id: 'k1', key: randomBytes(32) }]

test('a webhook that was created again has its own secret, although the organization is the same', () => {
  const opened = new OpenedSecrets(keys)
  expect(opened.open(1, sealSecret(keys, 1, 'whsec_a'))).toBe('whsec_a')
  const second = sealSecret(keys, 1, 'whsec_b')
  expect(opened.open(1, second)).toBe('whsec_b')
  expect(opened.open(1, second)).toBe('whsec_b')
})

test("another organization's row does not open, although its owner has just opened it", () => {
  const opened = new OpenedSecrets(keys)
  const sealed = sealSecret(keys, 1, 'whsec_a')
  expect(opened.open(1, sealed)).toBe('whsec_a')
  expect(() => opened.open(2, sealed)).toThrow()
})

test('above the limit, the least recently used secret is evicted', () => {
  const configured: [SecretKeys[0]] = [...keys]
  const opened = new OpenedSecrets(configured, 2)
  const sealed = (orgId: number) => sealSecret(keys, orgId, `whsec_${orgId}`)
  const [first, second, third] = [sealed(1), sealed(2), sealed(3)]
  opened.open(1, first)
  opened.open(2, second)
  opened.open(1, first)
  opened.open(3, third)
  configured[0] = { id: 'k2', key: randomBytes(32) } // from now on, only kept secrets open
  expect([opened.open(1, first), opened.open(3, third)]).toEqual(['whsec_1', 'whsec_3'])
  expect(() => opened.open(2, second)).toThrow('k1')
})
