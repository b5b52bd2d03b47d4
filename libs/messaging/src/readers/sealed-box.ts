import { LRUCache } from 'lru-cache'
import nacl from 'tweetnacl'
import { rawPublicXkey, rawXkeySeed } from './nkeys.ts'

/**
 * Encryption between us and any number of peers, in the format of NATS xkeys. Throws if `peer` is not a public xkey.
 */
export type SealedBox = {
  /** Undefined unless this peer has sealed the box for us. */
  open(sealed: Uint8Array, peer: string): Uint8Array | undefined
  seal(plain: Uint8Array, peer: string): Uint8Array
}

/** `xkv1`, the nonce, then the box. */
const VERSION = Buffer.from('xkv1')
const HEAD = VERSION.length + nacl.box.nonceLength
const MAX_PEERS = 64

/**
 * The key shared with a peer is cached. Computing it takes 2 ms in JavaScript, and each login of a reader needs it
 * twice, with the same few brokers. `CurveKP` of nkeys is correct too, but has no cache and allows 170 logins a
 * second.
 */
export function sealedBox(xkeySeed: string): SealedBox {
  const secret = rawXkeySeed(xkeySeed)
  const shared = new LRUCache<string, Uint8Array>({
    max: MAX_PEERS,
    memoMethod: (peer) => nacl.box.before(rawPublicXkey(peer), secret),
  })

  return {
    open(sealed, peer) {
      if (sealed.length <= HEAD || !VERSION.equals(sealed.subarray(0, VERSION.length))) return undefined
      const nonce = sealed.subarray(VERSION.length, HEAD)
      return nacl.box.open.after(sealed.subarray(HEAD), nonce, shared.memo(peer)) ?? undefined
    },
    seal(plain, peer) {
      const nonce = nacl.randomBytes(nacl.box.nonceLength)
      return Buffer.concat([VERSION, nonce, nacl.box.after(plain, nonce, shared.memo(peer))])
    },
  }
}
