import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  maskedSecret,
  mintSecret,
  openSecret,
  parseSecretKeys,
  sealSecret,
  type SecretKeys,
} from './secrets.ts'

const key = (id: string) => ({ id, key: randomBytes(32) })
const [first, second] = [key('k1'), key('k2')]
const keys: SecretKeys = [first]

test('D11.1 a secret is whsec_ and 64 hex digits, and each is different', () => {
  expect(mintSecret()).toMatch(/^whsec_[0-9a-f]{64}$/)
  expect(mintSecret()).not.toBe(mintSecret())
})

test('a stored secret opens and does not show the secret', () => {
  const secret = mintSecret()
  const stored = sealSecret(keys, 7, secret)
  expect(openSecret(keys, 7, stored)).toBe(secret)
  expect(stored.secret_ciphertext.includes(secret.slice(6, 20))).toBe(false)
  expect(sealSecret(keys, 7, secret).secret_ciphertext).not.toEqual(stored.secret_ciphertext)
})

test("another organization's ciphertext does not open", () => {
  expect(() => openSecret(keys, 8, sealSecret(keys, 7, mintSecret()))).toThrow()
})

test('a secret with a changed byte does not open', () => {
  const stored = sealSecret(keys, 7, mintSecret())
  for (const at of [0, 20, stored.secret_ciphertext.length - 1]) {
    const bytes = Buffer.from(stored.secret_ciphertext)
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    expect(() => openSecret(keys, 7, { ...stored, secret_ciphertext: bytes })).toThrow()
  }
})

test('a new first key encrypts, the old key still decrypts, and the error for a removed key names it', () => {
  const old = sealSecret(keys, 7, 'whsec_old')
  const rotated: SecretKeys = [second, first]
  expect(sealSecret(rotated, 7, 'whsec_new').secret_key_id).toBe('k2')
  expect(openSecret(rotated, 7, old)).toBe('whsec_old')
  expect(() => openSecret([second], 7, old)).toThrow('k1')
})

test('a masked secret shows only its last four characters', () => {
  expect(maskedSecret('beef')).toBe('whsec_…beef')
})

const b64 = (bytes: number) => randomBytes(bytes).toString('base64url')
test.for([
  ['one key', `k1:${b64(32)}`, ['k1']],
  ['several, with spaces', `k2:${b64(32)}, k1:${b64(32)}`, ['k2', 'k1']],
  ['too short', `k1:${b64(16)}`, undefined],
  ['no id', b64(32), undefined],
  ['an id twice', `k1:${b64(32)},k1:${b64(32)}`, undefined],
  ['empty', '', undefined],
  ['a trailing comma', `k1:${b64(32)},`, undefined],
] as const)('WEBHOOK_SECRET_KEYS, %s', ([, raw, ids]) => {
  expect(parseSecretKeys(raw)?.map(({ id }) => id)).toEqual(ids)
})
