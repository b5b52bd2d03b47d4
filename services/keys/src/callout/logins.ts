import { epochMs } from '@whereabouts/contracts/instant'
import type { Grant, Login, Refusal } from '@whereabouts/messaging/callout'
import type { ConnectionCounts } from '@whereabouts/messaging/connection-counts'
import { touchKey, type UsableKey } from '../api-keys/api-keys.queries.ts'
import { findClient } from '../api-keys/clients.ts'
import type { Db } from '../db.ts'
import { listReaderUsers } from '../floods/senders.queries.ts'
import { findSuspension } from '../floods/suspensions.queries.ts'
import { clientIdRefusal } from './client-ids.ts'
import { readerAccountOf } from './reader-logins.queries.ts'

/** A reader whose key never expires logs in again once a day, which its client does by itself. */
const LONGEST_SECONDS = 24 * 3_600
/** Connections at a time. An organization needs more than one key for more than 200 readers. */
const MOST_PER_KEY = 200
const MOST_PER_ORGANIZATION = 2_000

export type LoginDeps = {
  db: Db
  /** Milliseconds since 1970. */
  now: () => number
  connections: Pick<ConnectionCounts, 'of' | 'total' | 'expect' | 'refresh' | 'readerAccounts'>
}

/**
 * Decides about readers: user is the client id, password the client secret of a key with `scans:write`. Undefined where
 * that is wrong. Every login asks the database, since a revocation must bind at once.
 */
export function decideLogin(deps: LoginDeps) {
  const { db, now, connections } = deps
  return async (login: Login): Promise<Grant | Refusal | undefined> => {
    const { user, password, clientType, clientId } = login
    const key = await findClient(db, { clientId: user, clientSecret: password })
    // The broker knows a connection by the user it logged in as: in another spelling of the UUID a revocation would
    // not find it.
    if (!key || key.jti !== user || !key.scopes.includes('scans:write')) return undefined
    const until = await findSuspension(db, key.org_id, key.jti)
    if (until !== undefined)
      return {
        refused: `suspended until ${until}: it sent far more than its organization may, or five keys of the organization did`,
      }
    const full = await limitRefusal(deps, key)
    if (full !== undefined) return { refused: full }
    if (clientType === 'mqtt') {
      const reason = await clientIdRefusal(db, { orgId: key.org_id, jti: key.jti, clientId })
      if (reason !== undefined) return { refused: reason }
    } else if (clientType !== 'nats') return { refused: `readers speak NATS or MQTT, not ${clientType}` }
    const place = clientType === 'mqtt' ? overMqtt : await overNats(deps, key)
    await touchKey(db, key.org_id, key.id)
    connections.expect(key.jti)
    return { ...grantFor(key, now()), ...place }
  }
}

/** Before anybody is refused all connections are looked at again: a broker that was killed said nothing of its own. */
async function limitRefusal(deps: LoginDeps, key: UsableKey): Promise<string | undefined> {
  const reason = await countedLimitRefusal(deps, key)
  if (reason === undefined) return undefined
  await deps.connections.refresh()
  return countedLimitRefusal(deps, key)
}

async function countedLimitRefusal({ db, connections }: LoginDeps, key: UsableKey): Promise<string | undefined> {
  if (connections.of(key.jti) >= MOST_PER_KEY)
    return `more than ${MOST_PER_KEY} connections of one key: use another key`
  // One statement less for each login wherever all organizations together have fewer.
  if (connections.total < MOST_PER_ORGANIZATION) return undefined
  const users = await listReaderUsers(db, key.org_id)
  const total = users.reduce((sum, user) => sum + connections.of(user), 0)
  return total >= MOST_PER_ORGANIZATION
    ? `more than ${MOST_PER_ORGANIZATION} connections of one organization`
    : undefined
}

type Place = Pick<Grant, 'account' | 'subscribe' | 'connectionTypes'>

/** One account for all: the protocol knows no reply subjects, and nothing may be subscribed to. */
const overMqtt: Place = { account: 'MQTT', subscribe: [], connectionTypes: ['MQTT'] }

/**
 * An account of the organization's own, where its readers may subscribe to any inbox, as clients do by themselves for
 * acknowledgements. Where the broker has none left, one that is shared, with an inbox prefix of the key's own.
 */
async function overNats({ db, connections }: LoginDeps, { org_id, jti }: UsableKey): Promise<Place> {
  const number = await readerAccountOf(db, org_id)
  return number < connections.readerAccounts
    ? { account: accountName(number), subscribe: ['_INBOX.>'], connectionTypes: ['STANDARD'] }
    : { account: 'READERS', subscribe: [`_INBOX.${jti}.>`], connectionTypes: ['STANDARD'] }
}

/** As deploy/nats/make-reader-accounts.ts names them. */
const accountName = (number: number) => `R${String(number).padStart(4, '0')}`

/** Publishing to the organization's scans, of one reader only where the key is bound to it, until the key expires, a day at most. */
export function grantFor(
  key: Pick<UsableKey, 'jti' | 'org_id' | 'reader_key' | 'expires_at'>,
  nowMs: number,
): Pick<Grant, 'name' | 'publish' | 'expiresAt'> {
  const longest = Math.floor(nowMs / 1_000) + LONGEST_SECONDS
  const expiry = key.expires_at === null ? longest : Math.floor(epochMs(key.expires_at) / 1_000)
  return {
    name: key.jti,
    publish: [key.reader_key === null ? `scans.${key.org_id}.>` : `scans.${key.org_id}.${key.reader_key}.>`],
    expiresAt: Math.min(longest, expiry),
  }
}
