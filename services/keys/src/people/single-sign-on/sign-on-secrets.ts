import { createHmac } from 'node:crypto'

/**
 * What one sign-on needs, each derived from the token in the cookie of the browser that started it. So no row has any of
 * them, every replica can finish the sign-on, and a callback with the state of another browser does not match.
 */
export const secretsOf = (browserToken: string) => ({
  state: derived(browserToken, 'state'),
  nonce: derived(browserToken, 'nonce'),
  /** Of PKCE (RFC 7636). */
  verifier: derived(browserToken, 'verifier'),
})
export type SignOnSecrets = ReturnType<typeof secretsOf>

/** 43 characters of base64url, as a PKCE verifier must at least have. */
const derived = (token: string, purpose: string) =>
  createHmac('sha256', token).update(purpose).digest('base64url')
