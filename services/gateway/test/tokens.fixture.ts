import { tokenAudience, tokenIssuer } from '@whereabouts/contracts/resources/keys/token-claims'
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose'

/** Mints access tokens as the keys service does, and the key set that verifies them. */
export type TokenMint = {
  jwks: { keys: JWK[] }
  /** `expiresIn` in seconds, negative for a token that has expired. */
  mint(claims: object, options?: { expiresIn?: number; environment?: string }): Promise<string>
}

export async function tokenMint(kid = 'k1'): Promise<TokenMint> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'EdDSA', use: 'sig' }
  return {
    jwks: { keys: [jwk] },
    async mint(claims, { expiresIn = 900, environment = 'production' } = {}) {
      const seconds = Math.floor(Date.now() / 1000)
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'EdDSA', kid })
        .setIssuer(tokenIssuer(environment))
        .setAudience(tokenAudience(environment))
        .setIssuedAt(seconds - 3_600)
        .setExpirationTime(seconds + expiresIn)
        .sign(privateKey)
    },
  }
}
