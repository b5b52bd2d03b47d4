import { createAccount, createCurve, fromCurveSeed, fromSeed } from '@nats-io/nkeys'
import { createPrivateKey, type KeyObject } from 'node:crypto'

/** Keys of the authorization callout. `issuer` and `xkey` are public and go into nats.conf; the seeds are secret. */
export type CalloutKeys = { issuer: string; issuerSeed: string; xkey: string; xkeySeed: string }

/** New keys, for a first start. */
export function createCalloutKeys(): CalloutKeys {
  const [account, curve] = [createAccount(), createCurve()]
  return {
    issuer: account.getPublicKey(),
    issuerSeed: text(account.getSeed()),
    xkey: curve.getPublicKey(),
    xkeySeed: text(curve.getSeed()),
  }
}

/** The public key (A…) of an account seed (SA…). Throws for anything else. */
export function issuerOf(issuerSeed: string): string {
  if (!issuerSeed.startsWith('SA')) throw new Error('not an account seed (SA…)')
  return fromSeed(Buffer.from(issuerSeed)).getPublicKey()
}

/** The public key (X…) of a curve seed (SX…). Throws for anything else. */
export const xkeyOf = (xkeySeed: string): string => fromCurveSeed(Buffer.from(xkeySeed)).getPublicKey()

/**
 * The key of a seed for node:crypto, whose signatures cost 0.05 ms instead of 14 ms. A seed is base32 of 2 prefix
 * bytes, the 32-byte Ed25519 seed and a 2-byte checksum.
 */
export function signingKey(seed: string): KeyObject {
  issuerOf(seed) // checks prefix and checksum
  return createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, rawKey(seed, 16)]),
    format: 'der',
    type: 'pkcs8',
  })
}

/** The 32 bytes of a curve seed (SX…). Throws for anything else. */
export function rawXkeySeed(xkeySeed: string): Uint8Array {
  xkeyOf(xkeySeed) // checks prefix and checksum
  return rawKey(xkeySeed, 16)
}

/** The 32 bytes of a public curve key (X…), which has one prefix byte. The checksum is not verified. */
export function rawPublicXkey(xkey: string): Uint8Array {
  if (!/^X[A-Z2-7]{55}$/.test(xkey)) throw new Error('not a public curve key (X…)')
  return rawKey(xkey, 8)
}

/** The 32 bytes that begin at this bit of a base32 text. */
function rawKey(text: string, firstBit: number): Uint8Array {
  const bits = Array.from(text, (digit) => BASE32.indexOf(digit).toString(2).padStart(5, '0')).join('')
  return Uint8Array.from({ length: 32 }, (_, i) => {
    const at = firstBit + 8 * i
    return Number.parseInt(bits.slice(at, at + 8), 2)
  })
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
const text = (seed: Uint8Array) => Buffer.from(seed).toString()
