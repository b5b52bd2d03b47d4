import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const CLIENT_SECRET_PREFIX = 'wb_'

/** Headers of replies that carry a token or a secret. */
export const NO_STORE = { 'cache-control': 'no-store' } as const

/** The fixed prefix lets secret scanners find a committed one. */
export const newClientSecret = () => `${CLIENT_SECRET_PREFIX}${randomBytes(32).toString('hex')}`

/** A refresh token: 256 random bits. */
export const randomToken = () => randomBytes(32).toString('base64url')

/**
 * The stored form of a client secret or a refresh token. A plain digest is enough for 256 random bits; a slow hash
 * would only slow logins.
 */
export const hashSecret = (secret: string) => createHash('sha256').update(secret).digest()

const NOBODY = randomBytes(32)

/** Takes the same time without a stored hash, and returns false. */
export function secretMatches(secret: string, stored: Buffer | undefined): boolean {
  return timingSafeEqual(hashSecret(secret), stored ?? NOBODY) && stored !== undefined
}
