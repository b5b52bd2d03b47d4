import { createInbox, type Msg } from 'nats'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { followAccount, type FollowedAccount, type Sent } from './account-connections.ts'
import { natsOf, type Broker } from '../connect/connection.ts'
import { describeError, type Logger } from '../connect/logger.ts'

type Options = {
  logger: Logger
  /**
   * Called after each sample with the users that sent something since the one before. Must be cheap and must not
   * throw.
   */
  onSent: (sent: readonly Sent[]) => void
  /** Called for each answer of a broker. */
  onAnswer?: () => void
}

/** Accounts of services, which are never sampled. */
const SERVICES = new Set(['APP', 'AUTH', 'SYS', '$SYS', '$G'])
/**
 * Interval between requests for the totals of all accounts: one millisecond per account, within these bounds. An answer
 * has half a kilobyte for each account in use.
 */
const FASTEST_MS = 100
const SLOWEST_MS = 1_000
/** Interval between samples of the connections of an account above a threshold, per thousand connections. */
const FOLLOW_MS = 50
/** How long an account is followed after it was last above a threshold, so that a pause in a flood does not end it. */
const FOLLOW_ON_MS = 10_000
/**
 * A connection that was opened at most this long before its account is followed counts from its start. An older one
 * counts from the first sample: its total may have grown for days.
 */
const YOUNG_MS = 2_000
/**
 * An account must send this much to one broker before its connections are sampled. It is a quarter of what an
 * organization may send before it is disconnected, so that a flood over four brokers is found too.
 */
const BYTES_PER_SECOND = 3_000_000
const MESSAGES_PER_SECOND = 100
/** A broker that was silent for this long has ended; a restarted one has another id. */
const SERVER_GONE_MS = 60_000

const Statz = z.object({
  server: z.object({ id: z.string() }),
  data: z.object({
    now: z.string(),
    account_statz: z.array(
      z.object({ acc: z.string(), received: z.object({ bytes: z.number(), msgs: z.number() }) }),
    ),
  }),
})
const Disconnect = z.object({
  server: z.object({ id: z.string() }),
  client: z.object({ id: z.number(), acc: z.string(), user: z.string().default(''), start: z.string() }),
  /** Sent by the client. */
  sent: z.object({ bytes: z.number(), msgs: z.number() }),
})

type Account = { bytes: number; messages: number }
type Server = {
  /** Of this process, by `performance.now()`. */
  answeredAtMs: number
  /** By the clock of the server, in milliseconds since 1970. */
  atMs: number
  accounts: Map<string, Account>
  followed: Map<string, FollowedAccount>
}

/**
 * Reports how much each broker user sends to all brokers of the cluster. Asks them for the totals of their accounts,
 * and for single connections only if an account sends much. Each broker is compared with itself, by its own clock, so
 * a missing answer delays a report and loses nothing. `broker` must be logged in as `system`.
 */
export function watchRates(broker: Broker, { logger, onSent, onAnswer }: Options): { stop(): void } {
  const nc = natsOf(broker)
  const servers = new Map<string, Server>()
  const stopping = new AbortController()

  function onStatz(msg: Msg): void {
    const { server, data } = Statz.parse(msg.json())
    const atMs = Date.parse(data.now)
    const before = servers.get(server.id)
    const accounts = new Map(
      data.account_statz
        .filter(({ acc }) => !SERVICES.has(acc))
        .map(({ acc, received: { bytes, msgs } }) => [acc, { bytes, messages: msgs }]),
    )
    servers.set(server.id, {
      answeredAtMs: performance.now(),
      atMs,
      accounts,
      followed: before?.followed ?? new Map(),
    })
    // The totals of the first answer do not show when they were sent.
    if (before)
      for (const [name, account] of accounts)
        if (isAboveThreshold(account, before.accounts.get(name), (atMs - before.atMs) / 1_000))
          follow(server.id, name, before.atMs - YOUNG_MS)
    onAnswer?.()
  }

  function follow(serverId: string, account: string, sinceMs: number): void {
    const followed = servers.get(serverId)?.followed
    const known = followed?.get(account)
    if (known) known.untilMs = performance.now() + FOLLOW_ON_MS
    else if (followed) {
      const one = followAccount(broker, { serverId, account, sinceMs, onSent })
      one.untilMs = performance.now() + FOLLOW_ON_MS
      followed.set(account, one)
      keepSampling(one)
        .catch((error: unknown) => {
          if (!stopping.signal.aborted)
            logger.warn({ account, reason: describeError(error) }, 'connections of an account were not read')
        })
        .finally(() => followed.delete(account)) // it is followed again if it still sends much
    }
  }

  async function keepSampling(one: FollowedAccount): Promise<void> {
    while (!stopping.signal.aborted && performance.now() < one.untilMs) {
      const pages = await one.sample()
      await delay(FOLLOW_MS * pages, undefined, { ref: false, signal: stopping.signal })
    }
  }

  /** Counts what a connection sent between the last sample and its end. */
  function onDisconnect(msg: Msg): void {
    const event = Disconnect.safeParse(msg.json())
    if (!event.success) return // a client that never logged in has no account
    const { server, client, sent } = event.data
    const counters = { bytes: sent.bytes, messages: sent.msgs }
    const { id: cid, user, start } = client
    servers
      .get(server.id)
      ?.followed.get(client.acc)
      ?.ended({ cid, user, startMs: Date.parse(start), counters })
  }

  const guarded = (handle: (msg: Msg) => void) => (error: Error | null, msg: Msg) => {
    try {
      if (error) throw error
      handle(msg)
    } catch (reason) {
      logger.warn({ reason: describeError(reason) }, 'rates of connections cannot be read')
    }
  }
  const inbox = createInbox()
  const subscriptions = [
    nc.subscribe(inbox, { callback: guarded(onStatz) }),
    nc.subscribe('$SYS.ACCOUNT.*.DISCONNECT', { callback: guarded(onDisconnect) }),
  ]

  let timer: NodeJS.Timeout
  function ask(): void {
    const oldest = performance.now() - SERVER_GONE_MS
    for (const [id, { answeredAtMs }] of servers) if (answeredAtMs < oldest) servers.delete(id)
    if (broker.isConnected()) nc.publish('$SYS.REQ.ACCOUNT.PING.STATZ', '{}', { reply: inbox })
    const most = Math.max(0, ...[...servers.values()].map(({ accounts }) => accounts.size))
    timer = setTimeout(ask, Math.min(SLOWEST_MS, Math.max(FASTEST_MS, most)))
    timer.unref()
  }
  ask()

  return {
    stop() {
      stopping.abort()
      clearTimeout(timer)
      if (!nc.isClosed()) for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}

/** Totals that are smaller than before belong to a new account of that name. */
function isAboveThreshold(
  { bytes, messages }: Account,
  before: Account | undefined,
  seconds: number,
): boolean {
  const isSame = before !== undefined && before.bytes <= bytes && before.messages <= messages
  const base = isSame ? before : { bytes: 0, messages: 0 }
  return (
    bytes - base.bytes > BYTES_PER_SECOND * seconds ||
    messages - base.messages > MESSAGES_PER_SECOND * seconds
  )
}
