import {
  connect as dial,
  createInbox,
  Events,
  NatsError,
  type ConnectionOptions,
  type NatsConnection,
} from 'nats'
import { setTimeout as delay } from 'node:timers/promises'
import { BROKER_RELEASE, isAtLeast, isSameLine, OLDEST_BROKER } from './broker-version.ts'
import { describeError, type Logger } from './logger.ts'
import { loginOf, type Login } from './login.ts'

/** A connection to the broker. Opaque on purpose: only functions of this lib use it. */
export type Broker = {
  isConnected(): boolean
  /** Sends what is queued, lets subscriptions finish, then closes. Waits at most five seconds. */
  drain(): Promise<void>
  /** Closes at once. The broker redelivers unacknowledged messages to another replica. */
  close(): Promise<void>
  /**
   * Resolves when the connection is closed for good: with undefined after `close()` or `drain()`, else with the
   * reason.
   */
  readonly closed: Promise<Error | undefined>
}

export type ConnectOptions = {
  /** One address or several, separated by commas: `nats://nats-0:4222,nats://nats-1:4222`. */
  url: string
  user: string
  /** Two, separated by a comma, while it is changed: the one that a broker took last is tried first. */
  password: string
  /** Shown in the broker's monitoring; the name of the service. */
  name: string
  logger: Logger
  /** If given, the connection must be encrypted. `caFile` adds a CA to those that Node trusts. */
  tls?: { caFile?: string }
  /** Required for users that may subscribe only below their own prefix. */
  inboxPrefix?: string
  /** Reconnects within about 30 ms instead of a second: for a service that others need to connect. */
  eager?: boolean
  /** How long to try the first connection: 30 s, or `FOR_EVER`. A lost connection is retried for ever. */
  firstConnectMs?: number
  metrics?: ConnectionMetrics | undefined
}

/** For a service whose API works without the broker. */
export const FOR_EVER = Number.POSITIVE_INFINITY

/** Where counts go. Every method must be cheap and must not throw. */
export type ConnectionMetrics = {
  connected(isConnected: boolean): void
  reconnected(): void
  unpublished(reason: 'disconnected' | 'no_answer' | 'refused', count: number): void
}

/** The settings of `brokerEnv`. */
export type BrokerSettings = Readonly<{
  NATS_URL: string
  NATS_USER: string
  NATS_PASSWORD: string
  NATS_CA_FILE?: string | undefined
}>

/** The options of `connect` that come from the settings of a service. */
export const brokerLogin = ({ NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA_FILE }: BrokerSettings) => ({
  url: NATS_URL,
  user: NATS_USER,
  password: NATS_PASSWORD,
  ...(NATS_CA_FILE !== undefined && { tls: { caFile: NATS_CA_FILE } }),
})

/**
 * The same for the account of readers over MQTT, where tracking reads the messages that the broker has acknowledged.
 */
export const mqttBrokerLogin = (settings: BrokerSettings) => ({
  ...brokerLogin(settings),
  user: MQTT_USER,
})
/** The user in nats.conf. It has the same password as the services. */
export const MQTT_USER = 'mqtt-services'

type Live = {
  nc: NatsConnection
  connected: boolean
  inboxPrefix: string | undefined
  onReconnect: Set<() => void>
  metrics: ConnectionMetrics | undefined
}
const live = new WeakMap<Broker, Live>()

/** For the other files of this lib only. */
export const natsOf = (broker: Broker): NatsConnection => liveOf(broker).nc

/** For the other files of this lib only: a new subject for answers, which this user may subscribe to. */
export const newInbox = (broker: Broker): string => createInbox(liveOf(broker).inboxPrefix)

/** For the other files of this lib only. */
export const metricsOf = (broker: Broker): ConnectionMetrics | undefined => liveOf(broker).metrics

/** For the other files of this lib only: calls back after each reconnect, until the returned function is called. */
export function onReconnect(broker: Broker, listener: () => void): () => void {
  const { onReconnect: listeners } = liveOf(broker)
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function liveOf(broker: Broker): Live {
  const found = live.get(broker)
  if (!found) throw new Error('this broker was not made by connect()')
  return found
}

/**
 * Connects to the broker. After the first success it reconnects for ever, at jittered intervals, and logs each
 * change. Throws if the broker refuses the credentials, is too old, or does not answer within `firstConnectMs`.
 */
export async function connect(options: ConnectOptions): Promise<Broker> {
  const { logger } = options
  const login = loginOf(options)
  const nc = await firstConnection(options, login)
  login.accepted()
  const version = nc.info?.version ?? '0.0.0'
  if (!isAtLeast(version, OLDEST_BROKER)) {
    await nc.close()
    throw new Error(tooOld(version))
  }
  if (!isSameLine(version, BROKER_RELEASE))
    logger.warn({ version, tested: BROKER_RELEASE }, 'broker is not of the tested release')
  const { inboxPrefix, metrics } = options
  const listeners = new Set([() => login.accepted()])
  const connection: Live = { nc, connected: true, inboxPrefix, onReconnect: listeners, metrics }
  metrics?.connected(true)
  void followStatus(connection, logger)
  logger.info({ broker: nc.getServer(), version }, 'broker connected')
  return brokerOf(connection, logger)
}

const tooOld = (version: string) =>
  `nats-server ${version} is too old: ${OLDEST_BROKER} or newer is needed. Run ${BROKER_RELEASE}, the release that this ` +
  'product is tested with (docs/operating.md).'

async function firstConnection(options: ConnectOptions, login: Login): Promise<NatsConnection> {
  const giveUpAt = Date.now() + (options.firstConnectMs ?? 30_000)
  let refusals = 0
  let pauseMs = 0
  for (;;) {
    try {
      return await dial(natsOptions(options, login))
    } catch (error) {
      const refused = error instanceof NatsError && error.isAuthError()
      if (refused) refusals += 1
      if (refused && refusals < login.passwords) continue
      if (refused || Date.now() > giveUpAt) {
        throw new Error(`cannot connect to the broker as ${options.user}: ${describeError(error)}`, {
          cause: error,
        })
      }
      options.logger.warn({ reason: describeError(error) }, 'broker not reachable yet')
      pauseMs = Math.min(pauseMs + reconnectDelayMs(), MAX_PAUSE_MS)
      await delay(pauseMs)
    }
  }
}

const MAX_PAUSE_MS = 2_000

function natsOptions(options: ConnectOptions, { authenticator }: Login): ConnectionOptions {
  const { url, name, tls, inboxPrefix, eager = false } = options
  return {
    servers: url.split(',').map((address) => address.trim()),
    authenticator,
    name,
    timeout: 5_000,
    // Notices a peer that vanished without closing after about 20 s; the default is six minutes.
    pingInterval: 10_000,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: eager ? eagerDelayMs : reconnectDelayMs,
    ignoreAuthErrorAbort: true, // a broker that is starting may refuse for a while
    noAsyncTraces: true, // an Error per request costs much and explains little
    ...(tls && { tls }),
    ...(inboxPrefix !== undefined && { inboxPrefix }),
  }
}

/** Random, so that the clients of a restarted broker do not all connect in the same instant. */
const reconnectDelayMs = () => 250 + Math.random() * 750
const eagerDelayMs = () => 20 + Math.random() * 20

function brokerOf(connection: Live, logger: Logger): Broker {
  const { nc } = connection
  const closed = nc.closed().then((reason) => {
    if (reason) logger.error({ reason: describeError(reason) }, 'broker connection closed')
    connection.metrics?.connected(false)
    return reason ?? undefined
  })
  const close = async () => {
    if (!nc.isClosed()) await nc.close()
  }
  const drain = async () => {
    if (nc.isClosed()) return
    // While disconnected, a drain would wait for ever for the pong that ends it.
    await Promise.race([nc.drain(), delay(5_000, undefined, { ref: false })])
    await close()
  }
  const broker = { closed, close, drain, isConnected: () => connection.connected && !nc.isClosed() }
  live.set(broker, connection)
  return broker
}

async function followStatus(connection: Live, logger: Logger): Promise<void> {
  for await (const { type, data } of connection.nc.status()) {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    if (type === Events.Disconnect) {
      connection.connected = false
      connection.metrics?.connected(false)
      logger.warn({ broker: text }, 'broker disconnected')
    } else if (type === Events.Reconnect) {
      connection.connected = true
      connection.metrics?.connected(true)
      connection.metrics?.reconnected()
      logger.info({ broker: text }, 'broker reconnected')
      for (const listener of connection.onReconnect) listener()
    } else if (type === Events.Error) {
      logger.error({ reason: text }, 'broker reported an error')
    }
  }
}
