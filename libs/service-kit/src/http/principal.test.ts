import type { Principal } from '@whereabouts/contracts/principal'
import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { SignJWT } from 'jose'
import {
  gatewayVerifier,
  principalPrivateKey,
  principalPublicKeys,
  principalVerifier,
  signGateway,
  signPrincipal,
} from './principal.ts'

const principal: Principal = { kind: 'session', orgId: 7, scopes: [], userId: 1, role: 'admin' }
const inAnHour = Math.floor(Date.now() / 1000) + 3_600

/** A key pair in the format of the configuration. */
function newPair(): { seed: string; raw: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const last32 = (der: Buffer) => der.subarray(-32).toString('base64url')
  return {
    seed: last32(privateKey.export({ format: 'der', type: 'pkcs8' })),
    raw: last32(publicKey.export({ format: 'der', type: 'spki' })),
  }
}
const tokenOf = ({ seed }: { seed: string }) =>
  signPrincipal(principalPrivateKey(seed), principal, inAnHour, 'catalog')

test("while the gateway's key is changed, services accept only tokens of the old and the new key", async () => {
  const [old, next, other] = [newPair(), newPair(), newPair()]
  const verify = principalVerifier(principalPublicKeys(`${old.raw},${next.raw}`), 'catalog')
  expect(await verify(await tokenOf(old))).toMatchObject({ orgId: 7 })
  expect(await verify(await tokenOf(next))).toMatchObject({ orgId: 7 })
  expect(await verify(await tokenOf(other))).toBeUndefined()
  const afterwards = principalVerifier(principalPublicKeys(next.raw), 'catalog')
  expect(await afterwards(await tokenOf(old))).toBeUndefined()
})

test('a principal is valid until it expires, even if it is cached', async () => {
  const pair = newPair()
  let now = Date.now()
  const verify = principalVerifier(principalPublicKeys(pair.raw), 'catalog', () => now)
  const token = await tokenOf(pair)
  expect(await verify(token)).toMatchObject({ orgId: 7 })
  now = (inAnHour + 1) * 1_000
  expect(await verify(token)).toBeUndefined()
})

test('S11l a principal for one service is refused by another', async () => {
  const pair = newPair()
  const keys = principalPublicKeys(pair.raw)
  const token = await tokenOf(pair)
  expect(await principalVerifier(keys, 'catalog')(token)).toMatchObject({ orgId: 7 })
  for (const service of ['tracking', 'keys', 'webhook-dispatcher'] as const)
    expect(await principalVerifier(keys, service)(token)).toBeUndefined()
})

test('tokens of an older gateway, which name no service, are accepted while it is replaced', async () => {
  const pair = newPair()
  const token = await new SignJWT({ kind: 'session', org_id: 7, scopes: [], user_id: 1, role: 'admin' })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer('whereabouts-gateway')
    .setExpirationTime(inAnHour)
    .sign(principalPrivateKey(pair.seed))
  expect(await principalVerifier(principalPublicKeys(pair.raw), 'tracking')(token)).toMatchObject({
    orgId: 7,
  })
})

test("S11l internal routes accept only the gateway's own token for this service", async () => {
  const [pair, other] = [newPair(), newPair()]
  const isGateway = gatewayVerifier(principalPublicKeys(pair.raw), 'keys')
  const sign = ({ seed }: { seed: string }, service: 'keys' | 'catalog', until = inAnHour) =>
    signGateway(principalPrivateKey(seed), until, service)
  expect(await isGateway(await sign(pair, 'keys'))).toBe(true)
  expect(await isGateway(await sign(pair, 'catalog'))).toBe(false)
  expect(await isGateway(await sign(other, 'keys'))).toBe(false)
  expect(await isGateway(await sign(pair, 'keys', inAnHour - 7_200))).toBe(false)
  const caller = await signPrincipal(principalPrivateKey(pair.seed), principal, inAnHour, 'keys')
  expect(await isGateway(caller)).toBe(false)
  // The gateway's own token is not a caller.
  const verify = principalVerifier(principalPublicKeys(pair.raw), 'keys')
  expect(await verify(await sign(pair, 'keys'))).toBeUndefined()
})
