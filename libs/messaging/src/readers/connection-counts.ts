import type { Msg } from 'nats'
import { z } from 'zod'
import { askServers } from '../connect/ask-servers.ts'
import { natsOf, onReconnect, type Broker } from '../connect/connection.ts'
import { describeError, type Logger } from '../connect/logger.ts'

/** How many connections each user has at all brokers of the cluster. */
export type ConnectionCounts = {
  /** Connections of a user, including granted logins that are not established yet. */
  of(user: string): number
  /** Connections of all users, including services. */
  readonly total: number
  /** Call it when a login is granted. The login counts from then on, so that a burst cannot exceed a limit. */
  expect(user: string): void
  /** Users in an account, as of the last full count, which is at most a minute old. */
  usersIn(account: string): string[]
  /** How many accounts for readers (R0000, R0001 and so on) every broker has. 0 until it is known. */
  readonly readerAccounts: number
  /** Counts all connections again, unless that was done in the last second. Throws if the broker does not answer. */
  refresh(): Promise<void>
  stop(): void
}

type Options = {
  /**
   * Called with users whose connections sent messages since the count before, or until they ended. Must be cheap and
   * must not throw.
   */
  onMessages?: (users: readonly string[]) => void
}

/** `messages`: sent by the client until the last full count. */
type Connection = { user: string; account: string; messages: number }
/** By the id of the server and the number of the connection. */
type Servers = Map<string, Map<number, Connection>>
type Change = { server: string; cid: number; connection: Connection | undefined }

const EVERY_MS = 60_000
/** A count younger than this is reused, so that a flood of logins does not cause a flood of requests. */
const FRESH_MS = 1_000
const PAGE = 1_024
/** How long a granted login counts before it is established. Beyond that, the client has left. */
const EXPECTED_MS = 5_000

const Event = z.object({
  server: z.object({ id: z.string() }),
  client: z.object({ id: z.number(), acc: z.string().default(''), user: z.string().default('') }),
  /** By the client; only when the connection has ended. */
  sent: z.object({ msgs: z.number() }).default({ msgs: 0 }),
})
const Page = z.object({
  server: z.object({ id: z.string() }),
  data: z.object({
    total: z.number(),
    connections: z.array(
      z.object({
        cid: z.number(),
        account: z.string().default(''),
        authorized_user: z.string().default(''),
        in_msgs: z.number().default(0),
      }),
    ),
  }),
})
const Accounts = z.object({ data: z.object({ accounts: z.array(z.string()) }) })

/**
 * Counts connections by the events that brokers send when one opens or closes. Counts all of them once a minute too,
 * because a killed broker sends no events. `broker` must be logged in as `system`. Grants of another replica count
 * once they are connected.
 */
export function countConnections(
  broker: Broker,
  logger: Logger,
  { onMessages = () => undefined }: Options = {},
): ConnectionCounts {
  const nc = natsOf(broker)
  let servers: Servers = new Map()
  /** The totals of the first full count do not show when the messages were sent. */
  let isCounted = false
  let counts = new Map<string, number>()
  let readerAccounts = 0
  /** For each user with granted logins, when each of them stops counting. */
  const expected = new Map<string, number[]>()
  /** Changes during a full count; undefined otherwise. */
  let changes: Change[] | undefined

  const apply = (change: Change) => {
    changes?.push(change)
    applyTo(servers, counts, change)
    if (change.connection) expected.get(change.connection.user)?.shift()
  }
  const onEvent = (isOpen: boolean) => (error: Error | null, msg: Msg) => {
    if (error) return
    const event = Event.safeParse(msg.json())
    if (!event.success) return
    const { server, client, sent } = event.data
    const connection = isOpen ? { user: client.user, account: client.acc, messages: 0 } : undefined
    const known = servers.get(server.id)?.get(client.id)
    if (!isOpen && known && sent.msgs > known.messages) onMessages([known.user])
    apply({ server: server.id, cid: client.id, connection })
  }
  const subscriptions = [
    nc.subscribe('$SYS.ACCOUNT.*.CONNECT', { callback: onEvent(true) }),
    nc.subscribe('$SYS.ACCOUNT.*.DISCONNECT', { callback: onEvent(false) }),
  ]

  async function countAll(): Promise<void> {
    changes = []
    try {
      const found = await findAll(broker)
      const users = new Map<string, number>()
      for (const connections of found.values())
        for (const { user } of connections.values()) users.set(user, (users.get(user) ?? 0) + 1)
      if (isCounted) onMessages(senders(servers, found))
      isCounted = true
      for (const change of changes) applyTo(found, users, change)
      servers = found
      counts = users
    } finally {
      changes = undefined
    }
    readerAccounts = await countReaderAccounts(broker)
    evictExpected()
  }

  /** One full count at a time: a second caller waits for the one that runs. */
  let running: Promise<void> | undefined
  let countedAt = Number.NEGATIVE_INFINITY
  const recount = () =>
    (running ??= countAll().finally(() => {
      running = undefined
      countedAt = performance.now()
    }))
  const refresh = async () => {
    if (performance.now() - countedAt > FRESH_MS) await recount()
  }

  const refreshOrLog = () => {
    if (!broker.isConnected()) return
    recount().catch((error: unknown) =>
      logger.warn({ reason: describeError(error) }, 'connections were not counted'),
    )
  }
  const timer = setInterval(refreshOrLog, EVERY_MS)
  timer.unref()
  const stopListening = onReconnect(broker, refreshOrLog)

  function evictExpected(): void {
    for (const [user, until] of expected) if ((until.at(-1) ?? 0) <= Date.now()) expected.delete(user)
  }

  return {
    of(user) {
      const waiting = expected.get(user)?.filter((until) => until > Date.now()).length ?? 0
      return (counts.get(user) ?? 0) + waiting
    },
    get total() {
      let total = 0
      for (const connections of servers.values()) total += connections.size
      for (const waiting of expected.values()) total += waiting.length
      return total
    },
    expect(user) {
      const until = (expected.get(user) ?? []).filter((each) => each > Date.now())
      expected.set(user, [...until, Date.now() + EXPECTED_MS])
    },
    usersIn: (account) => [
      ...new Set(
        [...servers.values()].flatMap((connections) =>
          [...connections.values()].filter((one) => one.account === account).map(({ user }) => user),
        ),
      ),
    ],
    get readerAccounts() {
      return readerAccounts
    },
    refresh,
    stop() {
      stopListening()
      clearInterval(timer)
      if (!nc.isClosed()) for (const subscription of subscriptions) subscription.unsubscribe()
    },
  }
}

/** A server never reuses the number of a connection while it runs, so applying a change twice is harmless. */
function applyTo(servers: Servers, counts: Map<string, number>, { server, cid, connection }: Change): void {
  const connections = servers.get(server) ?? new Map<number, Connection>()
  servers.set(server, connections)
  const before = connections.get(cid)
  if (before && connection) return
  if (connection) connections.set(cid, connection)
  else connections.delete(cid)
  const user = (connection ?? before)?.user
  if (user === undefined) return
  const count = (counts.get(user) ?? 0) + (connection ? 1 : -1)
  if (count > 0) counts.set(user, count)
  else counts.delete(user)
}

/**
 * Users whose connections sent something between two full counts. A connection that opened meanwhile counts from 0; a
 * server that did not answer before has no count to compare with.
 */
function senders(before: Servers, now: Servers): string[] {
  const users = new Set<string>()
  for (const [server, connections] of now) {
    const known = before.get(server)
    for (const [cid, { user, messages }] of known ? connections : [])
      if (messages > (known?.get(cid)?.messages ?? 0)) users.add(user)
  }
  return [...users]
}

/** The connections of every server that answers. */
async function findAll(broker: Broker): Promise<Servers> {
  const found: Servers = new Map()
  for (let offset = 0, isMore = true; isMore; offset += PAGE) {
    const pages = await Array.fromAsync(
      askServers(broker, 'CONNZ', { auth: true, limit: PAGE, offset, sort: 'cid' }),
    )
    isMore = false
    for (const page of pages) {
      const { server, data } = Page.parse(page)
      const connections = found.get(server.id) ?? new Map<number, Connection>()
      found.set(server.id, connections)
      // Without an account, the login is not decided: anybody can claim to be the user.
      for (const { cid, account, authorized_user: user, in_msgs: messages } of data.connections)
        if (account !== '') connections.set(cid, { user, account, messages })
      isMore ||= data.total > offset + PAGE
    }
  }
  return found
}

const READER_ACCOUNT = /^R\d{4,6}$/

/** The accounts for readers that every server has: the smallest count, while servers get more of them one by one. */
async function countReaderAccounts(broker: Broker): Promise<number> {
  const answers = await Array.fromAsync(askServers(broker, 'ACCOUNTZ', {}))
  const counts = answers.map(
    (answer) => Accounts.parse(answer).data.accounts.filter((name) => READER_ACCOUNT.test(name)).length,
  )
  return counts.length === 0 ? 0 : Math.min(...counts)
}
