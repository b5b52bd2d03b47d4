/** Holds the refresh token of a session: hidden from scripts, and passed on to nobody but `/session`. */
const NAME = 'whereabouts_session'
/** Browsers take a cookie of this name over https from this very host only, for all of its paths. */
const SECURE_NAME = `__Host-${NAME}`

/** As long as a refresh token is good for. */
const MAX_AGE_SECONDS = 30 * 24 * 60 * 60
const VALUE = /^[A-Za-z0-9._~-]+$/

export type SessionCookie = {
  /** The token of a `Cookie` header. */
  read(header?: string): string | undefined
  /** The values of `Set-Cookie` that store a token; undefined takes it away. `header` is what the browser sent. */
  write(token: string | undefined, header?: string): string[]
}

/**
 * How the session of a browser is kept. Where the public address is https (`isSecure`) a cookie under the name that
 * earlier releases gave it is still read, and replaced as soon as a token is stored.
 */
export function sessionCookie(isSecure: boolean): SessionCookie {
  const name = isSecure ? SECURE_NAME : NAME
  const attributes = isSecure ? ['Path=/', 'Secure'] : ['Path=/session']
  return {
    read: (header) => valueOf(name, header) ?? valueOf(NAME, header),
    write: (token, header) => {
      if (token !== undefined && !VALUE.test(token))
        throw new Error('a refresh token that no cookie can hold')
      const hasEarlier = isSecure && valueOf(NAME, header) !== undefined
      return [setCookie(name, token, attributes), ...(hasEarlier ? [forgetEarlier()] : [])]
    },
  }
}

const forgetEarlier = () => setCookie(NAME, undefined, ['Path=/session', 'Secure'])

function setCookie(name: string, token: string | undefined, attributes: readonly string[]): string {
  const maxAge = `Max-Age=${token === undefined ? 0 : MAX_AGE_SECONDS}`
  return [`${name}=${token ?? ''}`, ...attributes, 'HttpOnly', 'SameSite=Strict', maxAge].join('; ')
}

function valueOf(name: string, header = ''): string | undefined {
  const pairs = header.split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return value !== undefined && VALUE.test(value) ? value : undefined
}
