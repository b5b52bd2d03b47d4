import type { Reply, Api } from './api.ts'

/** Twice the limit per minute (D9.9). */
export const BURST = 120

/** Of a user, over all sessions (D12.10). */
export const USER_BURST = 1_200

/** Sends cheap counted requests until the bucket of the token is empty. */
export async function exhaust(api: Api, token: string): Promise<void> {
  let sent = 0
  for (let size = 4; sent < 2 * BURST; size = 20) {
    const replies = await Promise.all(Array.from({ length: size }, () => spend(api, token)))
    if (replies.some(({ status }) => status === 429)) return
    sent += size
  }
  throw new Error(`no 429 after ${sent} requests`)
}

/** One counted request, refused by the gateway's rate limit or by the service for its query. */
export const spend = (api: Api, token: string) => api.call('listAssets', { token, query: { limit: 0 } })

/**
 * The reply to a request with an empty bucket. A token comes back every second, perhaps between our last request and
 * this one; then the bucket is emptied again.
 */
export async function whenExhausted<A extends Pick<Reply, 'status'>>(
  api: Api,
  token: string,
  ask: () => Promise<A>,
): Promise<A> {
  await exhaust(api, token)
  const reply = await ask()
  if (reply.status === 429) return reply
  await exhaust(api, token)
  return ask()
}
