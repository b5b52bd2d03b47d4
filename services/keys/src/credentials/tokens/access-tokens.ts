import {
  TOKEN_ALGORITHM,
  tokenAudience,
  tokenIssuer,
  type TokenClaims,
} from '@whereabouts/contracts/resources/keys/token-claims'
import { SignJWT } from 'jose'
import type { SigningKeys } from './signing-keys.ts'

type Options = { signingKeys: SigningKeys; environment: string; now: () => number }

/** Signs access tokens of one environment. They are not stored; the gateway checks their key or membership. */
export function createAccessTokens({ signingKeys, environment, now }: Options) {
  return {
    /** Loads the signing key. Call before a transaction, so that signing cannot fail after the commit. */
    async prepare(): Promise<void> {
      await signingKeys.active()
    },

    async sign({ sub, ...claims }: TokenClaims, lifeSeconds: number): Promise<string> {
      const { kid, privateKey } = await signingKeys.active()
      const issuedAt = Math.floor(now() / 1_000)
      return new SignJWT(claims)
        .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid })
        .setIssuer(tokenIssuer(environment))
        .setAudience(tokenAudience(environment))
        .setSubject(sub)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifeSeconds)
        .sign(privateKey)
    },
  }
}

export type AccessTokens = ReturnType<typeof createAccessTokens>
