import type { Sent } from '@whereabouts/messaging/readers/account-connections'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Db } from '../../db.ts'
import { FloodBuckets, type Flooder } from './flood-buckets.ts'
import { listReaderUsers } from './senders.queries.ts'
import { Senders } from './senders.ts'
import { findSuspension, suspendKeys } from './suspensions.queries.ts'

type Options = {
  db: Db
  /** Closes the connections of a broker user. Throws if the broker is unreachable. */
  disconnect: (user: string) => Promise<unknown>
  /** Whether a broker user has connections, as last reported. */
  isConnected: (user: string) => boolean
  log: Logger
  /** Called for each key that this process suspends. */
  onSuspension?: () => void
}

export type FloodGuard = {
  /** Takes what users sent since the last report. Returns at once. */
  take(sent: readonly Sent[]): void
  /** Resolves when all reports are checked. */
  idle(): Promise<void>
}

/** User names of readers. Services in a reader account have others. */
const KEY = /^[0-9a-f-]{36}$/
/** Reports after a disconnect still include earlier messages. They are ignored for this long. */
const LATE_MS = 1_000

/**
 * Suspends and then disconnects keys that send far more than their organization may. In that order, because clients
 * reconnect at once. The disconnect is immediate; the queued one repeats it.
 */
export function createFloodGuard({
  db,
  disconnect,
  isConnected,
  log,
  onSuspension = () => undefined,
}: Options): FloodGuard {
  const buckets = new FloodBuckets()
  const senders = new Senders(db)
  /** Disconnected users, and when, by `performance.now()`. */
  const cutOff = new Map<string, number>()
  let waiting: Sent[] = []
  let running: Promise<void> | undefined

  async function check(): Promise<void> {
    for (let sent = waiting; sent.length > 0; sent = waiting) {
      waiting = []
      await checkOnce(sent).catch((error: unknown) => log.warn({ err: error }, 'flood check failed'))
    }
  }

  async function checkOnce(all: readonly Sent[]): Promise<void> {
    const nowMs = performance.now()
    for (const [user, atMs] of cutOff) if (nowMs - atMs > LATE_MS) cutOff.delete(user)
    const sent = all.filter(({ user }) => KEY.test(user) && !cutOff.has(user))
    const found = await senders.find([...new Set(sent.map(({ user }) => user))], nowMs)
    const byOrg = Map.groupBy(sent, ({ user }) => found.get(user)?.orgId)
    for (const [orgId, its] of byOrg) {
      const allowance = found.get(its[0]?.user ?? '')?.allowance
      if (orgId === undefined || !allowance) continue
      const flooders = buckets.take(orgId, its, allowance, nowMs)
      if (flooders.length > 0) await end(flooders)
    }
  }

  async function end(flooders: readonly Flooder[]): Promise<void> {
    const users = flooders.map(({ user }) => user)
    const suspended = await db.transaction().execute((tx) => suspendKeys(tx, users))
    for (const { jti, org_id, until, strikes } of suspended) {
      const { messagesPerSecond: messages_per_second = 0, bytesPerSecond: bytes_per_second = 0 } =
        flooders.find(({ user }) => user === jti) ?? {}
      onSuspension()
      log.warn(
        { org_id, key_id: jti, messages_per_second, bytes_per_second, strikes, until },
        'key sends far more than its organization may, its readers are suspended',
      )
    }
    for (const orgId of new Set(suspended.map(({ org_id }) => org_id)))
      if ((await findSuspension(db, orgId, null)) !== undefined)
        users.push(...(await listReaderUsers(db, orgId)).filter(isConnected))
    // Also those that another replica suspended: it may have died before it disconnected them.
    for (const user of new Set(users)) {
      cutOff.set(user, performance.now())
      disconnect(user).catch((error: unknown) =>
        log.warn({ err: error, key_id: user }, 'disconnection of a suspended key failed; will retry'),
      )
    }
  }

  return {
    take(sent) {
      waiting.push(...sent)
      running ??= check().finally(() => (running = undefined))
    },
    async idle() {
      await running
    },
  }
}
