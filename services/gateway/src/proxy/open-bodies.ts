/**
 * The largest body on a route that needs no login. Such bodies are credentials and short forms, and anybody can send
 * them.
 */
export const MAX_OPEN_BODY_BYTES = 16 * 1024
