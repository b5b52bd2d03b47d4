import { epochMs } from '@whereabouts/contracts/instant'
import type { Grant, Login } from '@whereabouts/messaging/callout'
import { touchKey, type UsableKey } from '../api-keys/api-keys.queries.ts'
import { findClient } from '../api-keys/clients.ts'
import type { Db } from '../db.ts'

const ACCOUNT = 'APP'
/** A reader whose key never expires logs in again once a day, which its client does by itself. */
const LONGEST_SECONDS = 24 * 3_600

/**
 * Decides about readers: user is the client id, password the client secret of a key with `scans:write`. Undefined
 * refuses. Every login asks the database, since a revocation must bind at once; it is one indexed look-up.
 */
export function decideLogin({ db, now }: { db: Db; now: () => number }) {
  return async ({ user, password }: Login): Promise<Grant | undefined> => {
    const key = await findClient(db, { clientId: user, clientSecret: password })
    // The broker knows a connection by the user it logged in as: in another spelling of the UUID a revocation would
    // not find it.
    if (!key || key.jti !== user || !key.scopes.includes('scans:write')) return undefined
    await touchKey(db, key.org_id, key.id)
    return grantFor(key, now())
  }
}

/** Publishing to the organization's scans, and an inbox of its own for the broker's acknowledgements. */
export function grantFor(key: Pick<UsableKey, 'jti' | 'org_id' | 'expires_at'>, nowMs: number): Grant {
  const longest = Math.floor(nowMs / 1_000) + LONGEST_SECONDS
  const expiry = key.expires_at === null ? longest : Math.floor(epochMs(key.expires_at) / 1_000)
  return {
    name: key.jti,
    account: ACCOUNT,
    publish: [`scans.${key.org_id}.>`],
    subscribe: [`_INBOX.${key.jti}.>`],
    expiresAt: Math.min(longest, expiry),
  }
}
