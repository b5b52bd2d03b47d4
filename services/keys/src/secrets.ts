import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const CLIENT_SECRET_PREFIX = 'wb_'

/** Of answers that carry a token or a secret. */
export const NO_STORE = { 'cache-control': 'no-store' } as const

/** The fixed prefix lets secret scanners find one that was committed somewhere. */
export const newClientSecret = () => `${CLIENT_SECRET_PREFIX}${randomBytes(32).toString('hex')}`

/** A refresh token: 256 random bits. */
export const randomToken = () => randomBytes(32).toString('base64url')

/**
 * What is stored of a client secret or a refresh token. A plain digest is enough: 256 random bits cannot be guessed,
 * a slow hash would only make logins slow.
 */
export const hashSecret = (secret: string) => createHash('sha256').update(secret).digest()

const NOBODY = randomBytes(32)

/** Takes as long without a stored hash, and is false then. */
export function secretMatches(secret: string, stored: Buffer | undefined): boolean {
  return timingSafeEqual(hashSecret(secret), stored ?? NOBODY) && stored !== undefined
}
