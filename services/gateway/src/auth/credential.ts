import { signGateway } from '@whereabouts/service-kit/principal'
import type { KeyObject } from 'node:crypto'

const LIFE_SECONDS = 900
const RENEWED_SECONDS = 120

/** The token for requests of the gateway itself to `keys`. Signed again two minutes before it expires. */
export function gatewayCredential(
  signingKey: KeyObject,
  now: () => number = Date.now,
): () => Promise<string> {
  let signed: { token: Promise<string>; until: number } | undefined
  return () => {
    const seconds = Math.floor(now() / 1_000)
    if (!signed || signed.until - RENEWED_SECONDS <= seconds) {
      const until = seconds + LIFE_SECONDS
      signed = { token: signGateway(signingKey, until, 'keys'), until }
    }
    return signed.token
  }
}
