import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createAccount, fromPublic } from '@nats-io/nkeys'
import { expect, test } from 'vitest'
import { DECISION_MS, LOGIN_MS } from './callout.ts'
import { userToken, type Grant } from './callout-tokens.ts'
import { createCalloutKeys, issuerOf, signingKey, xkeyOf } from './nkeys.ts'

const keys = createCalloutKeys()
const signer = { key: signingKey(keys.issuerSeed), issuer: keys.issuer }
const grant: Grant = {
  connectionTypes: ['STANDARD'],
  name: 'k1',
  account: 'APP',
  publish: ['scans.7.>'],
  subscribe: ['_INBOX.k1.>'],
  expiresAt: 2_000_000_000,
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

test('each public key belongs to its seed', () => {
  expect(keys.issuer).toMatch(/^A[A-Z2-7]{55}$/)
  expect(keys.xkey).toMatch(/^X[A-Z2-7]{55}$/)
  expect(issuerOf(keys.issuerSeed)).toBe(keys.issuer)
  expect(xkeyOf(keys.xkeySeed)).toBe(keys.xkey)
})

test('a seed of another kind or with a typing error is refused', () => {
  expect(() => issuerOf(keys.xkeySeed)).toThrow('account seed')
  expect(() => xkeyOf(keys.issuerSeed)).toThrow('curve seed')
  const mistyped = `${keys.issuerSeed.slice(0, 20)}${keys.issuerSeed[20] === 'A' ? 'B' : 'A'}${keys.issuerSeed.slice(21)}`
  expect(() => signingKey(mistyped)).toThrow('checksum')
})

test('nkeys verifies signatures of node:crypto', () => {
  const token = userToken(signer, createAccount().getPublicKey(), grant)
  const [header = '', body = '', signature = ''] = token.split('.')
  const signed = Buffer.from(`${header}.${body}`)
  expect(fromPublic(keys.issuer).verify(signed, Buffer.from(signature, 'base64url'))).toBe(true)
  expect(verify(null, signed, createPublicKey(signer.key), Buffer.from(signature, 'base64url'))).toBe(true)
})

test('a user token has the user, the account, the expiry and the permissions', () => {
  const token = userToken(signer, 'UUSER', grant)
  expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).toEqual({
    typ: 'JWT',
    alg: 'ed25519-nkey',
  })
  expect(claimsOf(token)).toMatchObject({
    iss: keys.issuer,
    sub: 'UUSER',
    aud: 'APP',
    name: 'k1',
    exp: 2_000_000_000,
    nats: { type: 'user', version: 2, pub: { allow: ['scans.7.>'] }, sub: { allow: ['_INBOX.k1.>'] } },
  })
})

// The broker reads a missing or empty list as "everything".
test('a grant without permissions denies everything', () => {
  const claims = claimsOf(userToken(signer, 'UUSER', { ...grant, publish: [], subscribe: [] }))
  expect(claims).toMatchObject({ nats: { pub: { deny: ['>'] }, sub: { deny: ['>'] } } })
})

test('each token is unique', () => {
  expect(userToken(signer, 'UUSER', grant)).not.toBe(userToken(signer, 'UUSER', grant))
})

// Longer than clients wait for a broker, 20 s and 30 s: a client that gives up first retries, a refused one may not.
test('the broker waits longer than a login may take', () => {
  const conf = readFileSync(new URL('../../../../deploy/nats/nats.conf', import.meta.url), 'utf8')
  const seconds = Number(/^authorization \{\n(?: *#.*\n)* *timeout: (\d+)$/m.exec(conf)?.[1])
  expect(seconds * 1_000).toBe(LOGIN_MS + DECISION_MS)
  expect(seconds).toBeGreaterThan(30)
})
