import { SIGN_ON_COOKIE } from '@whereabouts/contracts/resources/keys/sign-on'

/** Longer than a person needs at the provider. */
export const SIGN_ON_SECONDS = 600
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/**
 * The cookie of the browser that started a sign-on. It is not `Strict`: the provider's page leads back to us. Over HTTPS
 * only this exact host can set it.
 */
export function signOnCookie(isSecure: boolean) {
  const name = isSecure ? `__Host-${SIGN_ON_COOKIE}` : SIGN_ON_COOKIE
  const attributes = ['Path=/', ...(isSecure ? ['Secure'] : []), 'HttpOnly', 'SameSite=Lax']
  return {
    write: (token: string): string =>
      [`${name}=${token}`, ...attributes, `Max-Age=${SIGN_ON_SECONDS}`].join('; '),
    read(header = ''): string | undefined {
      const pairs = header.split(';').map((pair) => pair.trim())
      const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
      return value !== undefined && TOKEN.test(value) ? value : undefined
    },
  }
}
