import { createInbox, type Msg } from 'nats'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { followAccount, type FollowedAccount, type Sent } from './account-connections.ts'
import { natsOf, type Broker } from './connection.ts'
import { describeError, type Logger } from './logger.ts'

type Options = {
  logger: Logger
  /** Called after each look with the users that sent something since the look before. Must be cheap and must not throw. */
  onSent: (sent: readonly Sent[]) => void
  /** Called for each answer of a broker. */
  onAnswer?: () => void
}

/** Accounts of services, never looked at. */
const SERVICES = new Set(['APP', 'AUTH', 'SYS', '$SYS', '$G'])
/**
 * How often all accounts are asked for: their number in milliseconds, at least the first and at most the second. An
 * answer has half a kilobyte for each account in use.
 */
const FASTEST_MS = 250
const SLOWEST_MS = 1_000
/** How often the connections of an account above a threshold are asked for, for each thousand of them. */
const FOLLOW_MS = 100
/** How long an account is followed after it was last above a threshold, so that pauses between floods hide nothing. */
const FOLLOW_ON_MS = 10_000
/**
 * Connections opened so shortly before their account is followed count from their begin. Older ones count from the
 * first look on: what they sent before may be of days.
 */
const YOUNG_MS = 2_000
/**
 * What an account must send to one broker before its connections are looked at: a quarter of what one organization may
 * send before it is cut off, so that a flood spread over four brokers is found as well.
 */
const BYTES_PER_SECOND = 3_000_000
const MESSAGES_PER_SECOND = 100
/** A broker that was silent for so long has ended; a restarted one has another id. */
const FORGET_MS = 60_000

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
  /** By the client. */
  sent: z.object({ bytes: z.number(), msgs: z.number() }),
})

type Account = { bytes: number; messages: number }
type Server = {
  /** By `performance.now()`. */
  answeredAtMs: number
  /** By its own clock, in milliseconds since 1970. */
  atMs: number
  accounts: Map<string, Account>
  followed: Map<string, FollowedAccount>
}

/**
 * Tells how much each broker user sends, over all brokers of the cluster. Asks them for the totals of their accounts,
 * and for single connections only where an account receives much. Each broker is compared with itself, by its own
 * clock, so an answer that is missing delays what is told and loses nothing. `broker` is logged in as `system`.
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
    // The first answer says nothing of when it was sent.
    if (before)
      for (const [name, account] of accounts)
        if (isMuch(account, before.accounts.get(name), (atMs - before.atMs) / 1_000))
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
      lookOnAndOn(one)
        .catch((error: unknown) => {
          if (!stopping.signal.aborted)
            logger.warn({ account, reason: describeError(error) }, 'connections of an account were not read')
        })
        .finally(() => followed.delete(account)) // it is followed again when it still receives much
    }
  }

  async function lookOnAndOn(one: FollowedAccount): Promise<void> {
    while (!stopping.signal.aborted && performance.now() < one.untilMs) {
      const pages = await one.look()
      await delay(FOLLOW_MS * pages, undefined, { ref: false, signal: stopping.signal })
    }
  }

  /** What a connection sent after the last look and before its end. */
  function onDisconnect(msg: Msg): void {
    const event = Disconnect.safeParse(msg.json())
    if (!event.success) return // who never logged in has no account
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
    const oldest = performance.now() - FORGET_MS
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

/** Totals that are less than before are those of a new account of the name. */
function isMuch({ bytes, messages }: Account, before: Account | undefined, seconds: number): boolean {
  const isSame = before !== undefined && before.bytes <= bytes && before.messages <= messages
  const base = isSame ? before : { bytes: 0, messages: 0 }
  return (
    bytes - base.bytes > BYTES_PER_SECOND * seconds ||
    messages - base.messages > MESSAGES_PER_SECOND * seconds
  )
}
