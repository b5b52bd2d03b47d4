/** Holds the refresh token of a session: sent back by the browser to `/session` only, and hidden from scripts. */
const SESSION_COOKIE = 'whereabouts_session'

/** As long as a refresh token is good for. */
const MAX_AGE_SECONDS = 30 * 24 * 60 * 60
const VALUE = /^[A-Za-z0-9._~-]+$/

/** The `Set-Cookie` that stores a token; undefined takes it away. */
export function sessionCookie(token: string | undefined, isSecure: boolean): string {
  if (token !== undefined && !VALUE.test(token)) throw new Error('a refresh token that no cookie can hold')
  const attributes = [
    `${SESSION_COOKIE}=${token ?? ''}`,
    'Path=/session',
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${token === undefined ? 0 : MAX_AGE_SECONDS}`,
  ]
  return [...attributes, ...(isSecure ? ['Secure'] : [])].join('; ')
}

/** The token of a `Cookie` header. */
export function readSessionCookie(header = ''): string | undefined {
  const pairs = header.split(';').map((pair) => pair.trim())
  const found = pairs.find((pair) => pair.startsWith(`${SESSION_COOKIE}=`))
  const value = found?.slice(SESSION_COOKIE.length + 1)
  return value !== undefined && VALUE.test(value) ? value : undefined
}
