import { limits } from '@whereabouts/contracts/limits'
import { epochMs } from '@whereabouts/contracts/rules/instant'
import type { Grant, Login, Refusal } from '@whereabouts/messaging/readers/callout'
import type { ConnectionCounts } from '@whereabouts/messaging/readers/connection-counts'
import { touchReaderKey, type UsableKey } from '../api-keys/api-keys.queries.ts'
import { findClient } from '../api-keys/clients.ts'
import type { Db } from '../../db.ts'
import { listReaderUsers } from '../../brokers/floods/senders.queries.ts'
import { findSuspension } from '../../brokers/floods/suspensions.queries.ts'
import { readerAccountOf, claimClientId, isOrganization } from './reader-logins.queries.ts'

/** Connections end after a day at most. Clients reconnect by themselves. */
const LONGEST_SECONDS = 24 * 3_600
/** Connections at a time. An organization needs more than one key for more than 200 readers. */
const { key: MOST_PER_KEY, organization: MOST_PER_ORGANIZATION } = limits.readerConnections

export type LoginDeps = {
  db: Db
  /** Milliseconds since 1970. */
  now: () => number
  connections: Pick<ConnectionCounts, 'of' | 'total' | 'expect' | 'refresh' | 'readerAccounts' | 'usersIn'>
}

/**
 * Decides logins of readers: user and password are client id and secret of a key with `scans:write`. Undefined for
 * wrong credentials. Each login reads the database, because a revocation must bind at once.
 */
export function decideLogin(deps: LoginDeps) {
  const { db, now, connections } = deps
  return async (login: Login): Promise<Grant | Refusal | undefined> => {
    const { user, password, clientType, clientId } = login
    const key = await findClient(db, { clientId: user, clientSecret: password })
    // The broker knows a connection by its user name. A revocation would miss another spelling of the UUID.
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
    await touchReaderKey(db, key.org_id, key.id)
    connections.expect(key.jti)
    return { ...grantFor(key, now()), ...place }
  }
}

/**
 * Counts all connections again before a refusal, because a killed broker does not report that its connections ended.
 */
async function limitRefusal(deps: LoginDeps, key: UsableKey): Promise<string | undefined> {
  const reason = await countedLimitRefusal(deps, key)
  if (reason === undefined) return undefined
  await deps.connections.refresh()
  return countedLimitRefusal(deps, key)
}

async function countedLimitRefusal(
  { db, connections }: LoginDeps,
  key: UsableKey,
): Promise<string | undefined> {
  if (connections.of(key.jti) >= MOST_PER_KEY)
    return `more than ${MOST_PER_KEY} connections of one key: use another key`
  // Saves a statement per login while all organizations together have fewer.
  if (connections.total < MOST_PER_ORGANIZATION) return undefined
  const users = await listReaderUsers(db, key.org_id)
  const total = users.reduce((sum, user) => sum + connections.of(user), 0)
  return total >= MOST_PER_ORGANIZATION
    ? `more than ${MOST_PER_ORGANIZATION} connections of one organization`
    : undefined
}

type Place = Pick<Grant, 'account' | 'subscribe' | 'connectionTypes'>

/** One account for all: MQTT has no reply subjects, and readers may not subscribe. */
const overMqtt: Place = { account: 'MQTT', subscribe: [], connectionTypes: ['MQTT'] }

/**
 * The organization's own account, where its readers may subscribe to any inbox, as clients do for acknowledgements. If
 * no account is free, a shared account with a per-key inbox prefix (ADR 64).
 */
async function overNats({ db, connections }: LoginDeps, { org_id, jti }: UsableKey): Promise<Place> {
  const number = await readerAccountOf(db, org_id, {
    accounts: connections.readerAccounts,
    isEmpty: (candidate) => connections.usersIn(accountName(candidate)).length === 0,
  })
  return number !== undefined
    ? { account: accountName(number), subscribe: ['_INBOX.>'], connectionTypes: ['STANDARD'] }
    : { account: 'READERS', subscribe: [`_INBOX.${jti}.>`], connectionTypes: ['STANDARD'] }
}

/** The names that deploy/nats/make-reader-accounts.ts gives. */
const accountName = (number: number) => `R${String(number).padStart(4, '0')}`

/**
 * May publish the organization's scans, or those of the one reader that the key is bound to. Ends when the key expires,
 * after a day at most.
 */
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

const LONGEST = 256
/** An id that begins with the number of an organization belongs to that organization, used or not. */
const OWNED = /^(\d{1,16})[-:_./]/

/**
 * Why a reader may not use an MQTT client id; undefined if it may. The broker identifies MQTT readers by client id
 * alone: a second reader with the same id ends the connection of the first and takes over its session. So an id
 * belongs to the organization that uses it (ADR 48). Nobody else can claim an id that begins with the organization's
 * number (`42-dock-7`) or with the key's own id, or one that the broker generated.
 */
async function clientIdRefusal(
  db: Db,
  { orgId, jti, clientId }: { orgId: number; jti: string; clientId: string },
): Promise<string | undefined> {
  if (clientId === '' || clientId.startsWith(jti)) return undefined
  if (Buffer.byteLength(clientId) > LONGEST) return `the MQTT client id is longer than ${LONGEST} bytes`
  const owner = Number(OWNED.exec(clientId)?.[1])
  if (owner === orgId) return undefined
  const isFree = Number.isNaN(owner) || !(await isOrganization(db, owner))
  if (isFree && (await claimClientId(db, orgId, clientId))) return undefined
  return 'the MQTT client id is used by another organization: begin it with the number of yours'
}
