import { exchangeKey, type Client } from './client.ts'

/** A token is replaced this long before it expires, so that it does not expire on its way. */
const RENEW_BEFORE_MS = 60_000

export type AccessTokens = {
  /** The current token. */
  (): Promise<string>
  /** A token instead of `refused`, which the API answered with 401. */
  replace(refused: string): Promise<string>
}

/**
 * `getToken` for `createClient`, for programs that have an API key. Exchanges the key if there is no token or the token
 * is about to expire; simultaneous requests share one exchange. A failed exchange rejects, and the next request
 * retries. `client` must have no token. `now` is in milliseconds, for tests.
 */
export function accessTokens(
  client: Client,
  key: { clientId: string; clientSecret: string },
  now: () => number = Date.now,
): AccessTokens {
  let token: Promise<string> | undefined
  let renewAt = 0
  const exchange = async () => {
    const askedAt = now()
    const { access_token, expires_in } = await exchangeKey(client, key)
    renewAt = askedAt + expires_in * 1000 - RENEW_BEFORE_MS
    return access_token
  }
  const renew = () => {
    renewAt = Number.POSITIVE_INFINITY // until the response has the expiry
    token = exchange()
    token.catch(() => (token = undefined))
    return token
  }
  const current = () => (token === undefined || now() >= renewAt ? renew() : token)
  const replace = async (refused: string) => ((await current()) === refused ? renew() : current())
  return Object.assign(current, { replace })
}
