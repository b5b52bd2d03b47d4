/**
 * The largest body on a route that needs no login. Such bodies are credentials and short forms, and anybody can send
 * them.
 */
export const MAX_OPEN_BODY_BYTES = 16 * 1024

/** Up to this announced length, a request for a token is one with a refresh token that is not good; beyond it, 413 (D2). */
export const MAX_TOKEN_BYTES = 1024 * 1024
