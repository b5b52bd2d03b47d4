import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, inject, vi } from 'vitest'
import { startGateway } from '../system/gateways.ts'
import { startIssuer } from '../system/issuer.ts'
import { forge, jwtParts } from '../system/jwt.ts'
import { createApi } from './support/api.ts'
import { test as base } from './support/fixtures.ts'
import { newOrganization, type Key, type Organization } from './support/organization.ts'

type Part = Record<string, unknown>
type Forgery = {
  header: Part
  claims: Part
  key: KeyObject | Buffer | undefined
  /** Of the issuer that the gateway trusts. */
  publicKey: Buffer
  org: Organization
  other: Key
}
type Change = (forgery: Forgery) => Partial<Forgery>

/** A gateway that trusts an issuer whose private key the test has: only the content of tokens is tested. */
const test = base
  .extend('issuer', { scope: 'file' }, async ({}, { onCleanup }) => {
    const issuer = await startIssuer(inject('place').urls.api.keys)
    onCleanup(() => issuer.stop())
    return issuer
  })
  .extend('gateway', { scope: 'file' }, async ({ issuer, description }, { onCleanup }) => {
    const gateway = await startGateway(inject('place'), { KEYS_URL: issuer.url })
    onCleanup(() => gateway.stop())
    return createApi(gateway.base, description)
  })
  .extend('key', { scope: 'file' }, ({ org }) => org.key())
  .extend('other', { scope: 'file' }, async ({ api }) => (await newOrganization(api)).key())
  .extend('present', { scope: 'file' }, async ({ gateway, issuer, org, key, other }) => {
    const { claims } = jwtParts(key.token)
    const { kid, privateKey, publicKey } = issuer
    const real: Forgery = { header: { alg: 'EdDSA', kid }, claims, key: privateKey, publicKey, org, other }
    const present = (change: Change) => {
      const made = { ...real, ...change(real) }
      return gateway.call('listAssets', { token: forge(made.header, made.claims, made.key) })
    }
    // The gateway learns of the new key from the stream, because it cannot ask the issuer.
    await vi.waitUntil(async () => (await present(() => ({}))).status === 200, { timeout: 10_000 })
    return present
  })

const now = () => Math.floor(Date.now() / 1_000)
const foreignKey = generateKeyPairSync('ed25519').privateKey

const genuine: { name: string; change: Change }[] = [
  { name: 'as issued', change: () => ({}) },
  { name: 'that is valid from now', change: ({ claims }) => ({ claims: { ...claims, nbf: now() } }) },
  { name: 'with an unknown claim', change: ({ claims }) => ({ claims: { ...claims, newer: 1 } }) },
]

const forged: { name: string; change: Change }[] = [
  { name: 'expired', change: ({ claims }) => ({ claims: { ...claims, exp: now() - 1 } }) },
  { name: 'expired long ago', change: ({ claims }) => ({ claims: { ...claims, exp: 1 } }) },
  { name: 'not yet valid', change: ({ claims }) => ({ claims: { ...claims, nbf: now() + 60 } }) },
  { name: 'without an end', change: ({ claims }) => ({ claims: { ...claims, exp: undefined } }) },
  { name: 'with an end that is text', change: ({ claims }) => ({ claims: { ...claims, exp: 'never' } }) },
  {
    name: 'of another issuer',
    change: ({ claims }) => ({ claims: { ...claims, iss: 'https://evil.example' } }),
  },
  { name: 'without an issuer', change: ({ claims }) => ({ claims: { ...claims, iss: undefined } }) },
  { name: 'for another audience', change: ({ claims }) => ({ claims: { ...claims, aud: 'another-api' } }) },
  { name: 'without an audience', change: ({ claims }) => ({ claims: { ...claims, aud: undefined } }) },
  {
    name: 'of the other environment, signed by the same key',
    change: ({ claims }) => ({
      claims: {
        ...claims,
        iss: String(claims['iss']).replace('local', 'preview'),
        aud: String(claims['aud']).replace('local', 'preview'),
      },
    }),
  },
  {
    name: 'of the other environment by its issuer alone',
    change: ({ claims }) => ({
      claims: { ...claims, iss: String(claims['iss']).replace('local', 'preview') },
    }),
  },
  {
    name: 'of the other environment by its audience alone',
    change: ({ claims }) => ({
      claims: { ...claims, aud: String(claims['aud']).replace('local', 'preview') },
    }),
  },
  {
    name: 'alg none, unsigned',
    change: ({ header }) => ({ header: { ...header, alg: 'none' }, key: undefined }),
  },
  { name: 'alg none without a kid', change: () => ({ header: { alg: 'none' }, key: undefined }) },
  { name: 'unsigned', change: () => ({ key: undefined }) },
  {
    name: 'HS256 with the public key as the secret',
    change: ({ header, publicKey }) => ({ header: { ...header, alg: 'HS256' }, key: publicKey }),
  },
  {
    name: 'HS256 with the public key in base64url as the secret',
    change: ({ header, publicKey }) => ({
      header: { ...header, alg: 'HS256' },
      key: Buffer.from(publicKey.toString('base64url')),
    }),
  },
  { name: 'signed by a foreign key under our kid', change: () => ({ key: foreignKey }) },
  {
    name: 'signed by a foreign key under an unknown kid',
    change: ({ header }) => ({ header: { ...header, kid: 'nobody' }, key: foreignKey }),
  },
  {
    name: 'that brings its own key',
    change: ({ header }) => ({
      header: { ...header, jwk: foreignKey.export({ format: 'jwk' }) },
      key: foreignKey,
    }),
  },
  {
    name: 'that names another URL for the keys',
    change: ({ header }) => ({ header: { ...header, jku: 'http://127.0.0.1:9/keys' }, key: foreignKey }),
  },
  {
    name: 'with a critical extension',
    change: ({ header }) => ({ header: { ...header, crit: ['exp2'], exp2: 1 } }),
  },
  { name: 'of another kind', change: ({ claims }) => ({ claims: { ...claims, typ: 'root' } }) },
  { name: 'without a kind', change: ({ claims }) => ({ claims: { ...claims, typ: undefined } }) },
  { name: 'without a key', change: ({ claims }) => ({ claims: { ...claims, sub: undefined } }) },
  {
    name: 'of a key that does not exist',
    change: ({ claims }) => ({ claims: { ...claims, sub: '00000000-0000-4000-8000-000000000000' } }),
  },
  {
    name: "of another organization's key",
    change: ({ claims, other }) => ({ claims: { ...claims, sub: other.jti } }),
  },
  { name: 'with an organization in text', change: ({ claims }) => ({ claims: { ...claims, org_id: '5' } }) },
  { name: 'without an organization', change: ({ claims }) => ({ claims: { ...claims, org_id: undefined } }) },
  {
    name: 'a session with an unknown role',
    change: ({ claims, org }) => ({
      claims: { ...claims, typ: 'session', sub: String(org.userId), role: 'root', member_revision: 1 },
    }),
  },
  {
    name: 'a session of an unknown user',
    change: ({ claims }) => ({
      claims: { ...claims, typ: 'session', sub: 'admin', role: 'admin', member_revision: 1 },
    }),
  },
]

describe('D9.2 a token of our own signing key', () => {
  test.for(genuine)('$name is accepted', async ({ change }, { present }) => {
    expect((await present(change)).status).toBe(200)
  })
  test.for(forged)('$name is refused', async ({ change }, { present }) => {
    const reply = await present(change)
    expect(reply.status).toBe(401)
    expect(reply.body.error.detail).toBe('Invalid or expired token')
  })
})

describe('D9.2 a token that was tampered with', () => {
  const parts = (token: string) => token.split('.') as [string, string, string]
  const cases: { name: string; change: (token: string) => string }[] = [
    { name: 'without its signature', change: (token) => parts(token).slice(0, 2).join('.') },
    { name: 'with an empty signature', change: (token) => `${parts(token).slice(0, 2).join('.')}.` },
    {
      name: 'with more claims',
      change: (token) => {
        const { header, claims } = jwtParts(token)
        const wider = forge(header, { ...claims, scopes: ['keys:admin'] }, undefined)
        return `${wider}${parts(token)[2]}`
      },
    },
    {
      name: 'with one bit of the signature flipped',
      change: (token) => {
        const [header, claims, signature] = parts(token)
        const bytes = Buffer.from(signature, 'base64url')
        bytes.writeUInt8((bytes[0] ?? 0) ^ 1)
        return [header, claims, bytes.toString('base64url')].join('.')
      },
    },
    { name: 'with a fourth part', change: (token) => `${token}.${parts(token)[2]}` },
    { name: 'with its parts swapped', change: (token) => parts(token).toReversed().join('.') },
    { name: 'cut short', change: (token) => token.slice(0, -3) },
  ]
  test.for(cases)('$name is refused', async ({ change }, { api, key }) => {
    const reply = await api.call('listAssets', { token: change(key.token) })
    expect(reply.status).toBe(401)
    expect(reply.body.error.detail).toBe('Invalid or expired token')
  })
})
