import { exchangeKey, type Client } from './client.ts'

/** Before its end, so that a token does not expire on its way. */
const RENEW_BEFORE_MS = 60_000

/**
 * `getToken` for `createClient`, for programs that hold the key: exchanges it when there is no token or the last one is
 * about to expire, once for however many requests ask meanwhile. A failed exchange rejects, and the next request tries
 * again. `client` is one without a token; `now` is in milliseconds, for tests.
 */
export function accessTokens(
  client: Client,
  key: { clientId: string; clientSecret: string },
  now: () => number = Date.now,
): () => Promise<string> {
  let token: Promise<string> | undefined
  let renewAt = 0
  const exchange = async () => {
    const askedAt = now()
    const { access_token, expires_in } = await exchangeKey(client, key)
    renewAt = askedAt + expires_in * 1000 - RENEW_BEFORE_MS
    return access_token
  }
  const renew = () => {
    renewAt = Number.POSITIVE_INFINITY // until the answer says
    token = exchange()
    token.catch(() => (token = undefined))
    return token
  }
  return () => (token === undefined || now() >= renewAt ? renew() : token)
}
