import nacl from 'tweetnacl'
import { rawPublicXkey, rawXkeySeed } from './nkeys.ts'

/** Encryption between us and any number of peers, in the format of NATS xkeys. */
export type SealedBox = {
  /** Undefined for anything but what this peer has sealed for us. */
  open(sealed: Uint8Array, peer: string): Uint8Array | undefined
  /** Throws when `peer` is no xkey. */
  seal(plain: Uint8Array, peer: string): Uint8Array
}

/** `xkv1`, the nonce, then the box. */
const VERSION = Buffer.from('xkv1')
const HEAD = VERSION.length + nacl.box.nonceLength
const MAX_PEERS = 64

/**
 * The key shared with a peer is worked out once: that costs 2 ms in JavaScript, and every login of a reader needs it
 * twice, with the same few brokers. `CurveKP` of nkeys, which is correct and has no memory, gets 170 logins a second.
 */
export function sealedBox(xkeySeed: string): SealedBox {
  const secret = rawXkeySeed(xkeySeed)
  const shared = new Map<string, Uint8Array>()

  function keyWith(peer: string): Uint8Array {
    const known = shared.get(peer)
    if (known) return known
    const key = nacl.box.before(rawPublicXkey(peer), secret)
    if (shared.size >= MAX_PEERS) shared.clear()
    shared.set(peer, key)
    return key
  }

  return {
    open(sealed, peer) {
      if (sealed.length <= HEAD || !VERSION.equals(sealed.subarray(0, VERSION.length))) return undefined
      const nonce = sealed.subarray(VERSION.length, HEAD)
      return nacl.box.open.after(sealed.subarray(HEAD), nonce, keyWith(peer)) ?? undefined
    },
    seal(plain, peer) {
      const nonce = nacl.randomBytes(nacl.box.nonceLength)
      return Buffer.concat([VERSION, nonce, nacl.box.after(plain, nonce, keyWith(peer))])
    },
  }
}
