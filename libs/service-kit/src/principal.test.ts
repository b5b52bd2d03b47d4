import type { Principal } from '@whereabouts/contracts/principal'
import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { principalPrivateKey, principalPublicKeys, principalVerifier, signPrincipal } from './principal.ts'

const principal: Principal = { kind: 'session', orgId: 7, scopes: [], userId: 1, role: 'admin' }
const inAnHour = Math.floor(Date.now() / 1000) + 3_600

/** As the configuration carries them. */
function newPair(): { seed: string; raw: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const last32 = (der: Buffer) => der.subarray(-32).toString('base64url')
  return {
    seed: last32(privateKey.export({ format: 'der', type: 'pkcs8' })),
    raw: last32(publicKey.export({ format: 'der', type: 'spki' })),
  }
}
const tokenOf = ({ seed }: { seed: string }) => signPrincipal(principalPrivateKey(seed), principal, inAnHour)

test("while the gateway's key is changed, services take what either key signed, and nothing else", async () => {
  const [old, next, stranger] = [newPair(), newPair(), newPair()]
  const verify = principalVerifier(principalPublicKeys(`${old.raw},${next.raw}`))
  expect(await verify(await tokenOf(old))).toMatchObject({ orgId: 7 })
  expect(await verify(await tokenOf(next))).toMatchObject({ orgId: 7 })
  expect(await verify(await tokenOf(stranger))).toBeUndefined()
  const afterwards = principalVerifier(principalPublicKeys(next.raw))
  expect(await afterwards(await tokenOf(old))).toBeUndefined()
})

test('a principal is good until it expires, however often it was seen', async () => {
  const pair = newPair()
  let now = Date.now()
  const verify = principalVerifier(principalPublicKeys(pair.raw), () => now)
  const token = await tokenOf(pair)
  expect(await verify(token)).toMatchObject({ orgId: 7 })
  now = (inAnHour + 1) * 1_000
  expect(await verify(token)).toBeUndefined()
})
