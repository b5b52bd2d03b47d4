/**
 * `session` contains the refresh token, `device` what proves that the browser has signed in before. Scripts cannot read
 * them, and browsers send them only to `/session`. `sign_on`, which keys sets, proves that it has signed on.
 */
type Purpose = 'session' | 'device' | 'sign_on'
/** Browsers accept a cookie with this prefix only over HTTPS, from this exact host, for all paths. */
const SECURE_PREFIX = '__Host-'

/** The lifetime of a refresh token and of what proves a device. */
const MAX_AGE_SECONDS = 30 * 24 * 60 * 60
const VALUE = /^[A-Za-z0-9._~-]+$/

export type SessionCookie = {
  /** The token of a `Cookie` header. */
  read(header?: string): string | undefined
  /** The `Set-Cookie` values that store a token; undefined deletes it. `header` is the `Cookie` of the request. */
  write(token: string | undefined, header?: string): string[]
}

/**
 * Reads and writes the session cookie. `isSecure`: the public URL is HTTPS. Then a cookie with the name of earlier
 * releases is not accepted, because a page on a sibling host can set one, and is deleted when the session changes.
 */
export function sessionCookie(isSecure: boolean, purpose: Purpose = 'session'): SessionCookie {
  const plain = `whereabouts_${purpose}`
  const name = isSecure ? `${SECURE_PREFIX}${plain}` : plain
  const attributes = isSecure ? ['Path=/', 'Secure'] : ['Path=/session']
  return {
    read: (header) => valueOf(name, header),
    write: (token, header) => {
      if (token !== undefined && !VALUE.test(token))
        throw new Error('the token has characters that a cookie cannot contain')
      const hasEarlier = isSecure && valueOf(plain, header) !== undefined
      return [
        setCookie(name, token, attributes),
        ...(hasEarlier ? [setCookie(plain, undefined, ['Path=/session', 'Secure'])] : []),
      ]
    },
  }
}

function setCookie(name: string, token: string | undefined, attributes: readonly string[]): string {
  const maxAge = `Max-Age=${token === undefined ? 0 : MAX_AGE_SECONDS}`
  return [`${name}=${token ?? ''}`, ...attributes, 'HttpOnly', 'SameSite=Strict', maxAge].join('; ')
}

function valueOf(name: string, header = ''): string | undefined {
  const pairs = header.split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return value !== undefined && VALUE.test(value) ? value : undefined
}
