import type { OutboxPublish } from '@whereabouts/db/outbox-relay'
import { serveLogins, type LoginResponder, type OnLogin } from '@whereabouts/messaging/callout'
import { brokerLogin, connect, type Broker, type ConnectionMetrics } from '@whereabouts/messaging/connection'
import type { Sent } from '@whereabouts/messaging/account-connections'
import { countConnections, type ConnectionCounts } from '@whereabouts/messaging/connection-counts'
import { watchRates } from '@whereabouts/messaging/connection-rates'
import { disconnectUser } from '@whereabouts/messaging/disconnect-user'
import { immediatePublish } from '@whereabouts/messaging/publish'
import type { Responder } from '@whereabouts/messaging/request'
import type { Logger } from '@whereabouts/service-kit/logging'
import { decideLogin } from './callout/logins.ts'
import type { Config } from './config.ts'
import type { Db } from './db.ts'
import { serveStates } from './states.responder.ts'

/** The three users this service is at the broker; undefined until their first connection. */
export type Brokers = {
  isConnected(): boolean
  /** For the outbox relay: answers false for all while the broker is away, and the rows stay. */
  publish: OutboxPublish
  /** Throws when the broker could not be asked. */
  disconnect: (user: string) => Promise<void>
  /** Whether a broker user has connections, as of the last the brokers said. */
  hasConnections(user: string): boolean
  /**
   * Readers connected in the account of the services, where releases before accounts of readers let them in: they are to
   * be disconnected, and come back into their own.
   */
  misplacedReaders(): string[]
  /** Accounts for readers that the broker has; undefined until it was asked. */
  readerAccounts(): number | undefined
  /** No login and no question is taken any more; those being decided are answered. */
  stopAnswering(): Promise<void>
  close(): Promise<void>
}

type Deps = {
  db: Db
  log: Logger
  /** Of a connection, by the name of its user. */
  metrics?: (connection: string) => ConnectionMetrics
  onLogin?: OnLogin
  /** Told again and again what users have sent, where an account receives much. */
  onSent?: (sent: readonly Sent[]) => void
  /** Called for each answer of a broker about what accounts have sent. */
  onRatesAnswer?: () => void
}
type Connections = {
  services: Broker
  system: Broker
  callout: Broker
  counts: ConnectionCounts
  rates: { stop(): void }
  logins: LoginResponder
  states: Responder
}

/**
 * Connects in the background, so that the service answers requests meanwhile: `connected` rejects when the broker
 * refuses a password or does not come in time.
 */
export function openBrokers(config: Config, deps: Deps): Brokers & { connected: Promise<void> } {
  let live: Connections | undefined
  const connectOnce = async () => {
    live = await connectAll(config, deps)
  }
  const connected = connectOnce()
  connected.catch(() => undefined) // main awaits it, but only once it listens
  return {
    connected,
    isConnected: () =>
      live !== undefined &&
      [live.services, live.system, live.callout].every((broker) => broker.isConnected()),
    publish: async (rows) => (live ? immediatePublish(live.services, deps.log)(rows) : rows.map(() => false)),
    async disconnect(user) {
      await asSystem(live?.system, (system) => disconnectUser(system, user))
    },
    hasConnections: (user) => (live?.counts.of(user) ?? 0) > 0,
    misplacedReaders: () => live?.counts.usersIn('APP').filter((user) => user !== config.NATS_USER) ?? [],
    readerAccounts: () => live?.counts.readerAccounts,
    async stopAnswering() {
      await Promise.all([live?.logins.stop(), live?.states.stop()])
      live?.counts.stop()
      live?.rates.stop()
    },
    async close() {
      if (live) await Promise.all([live.services.drain(), live.system.close(), live.callout.close()])
    },
  }
}

/** A broker that went away meanwhile may have answered nothing, which looks like "nobody is connected". */
async function asSystem(system: Broker | undefined, work: (system: Broker) => Promise<unknown>) {
  if (!system?.isConnected()) throw new Error('not connected to the broker as system')
  await work(system)
  if (!system.isConnected()) throw new Error('the connection to the broker was lost')
}

async function connectAll(config: Config, deps: Deps): Promise<Connections> {
  const { db, log, metrics, onLogin, onSent = () => undefined, onRatesAnswer } = deps
  const open = (user: string, password: string, options: { eager?: boolean } = {}) =>
    connect({
      ...brokerLogin(config),
      user,
      password,
      name: 'keys',
      logger: log,
      firstConnectMs: 60_000,
      metrics: metrics?.(user),
      ...options,
    })
  const [services, system, callout] = await Promise.all([
    open(config.NATS_USER, config.NATS_PASSWORD),
    open('system', config.NATS_SYSTEM_PASSWORD),
    // A reader that comes back to a restarted broker before the callout does is refused after two seconds.
    open('callout', config.CALLOUT_PASSWORD, { eager: true }),
  ])
  const seeds = { issuerSeed: config.CALLOUT_ISSUER_SEED, xkeySeed: config.CALLOUT_XKEY_SEED }
  const counts = countConnections(system, log)
  await counts.refresh() // a login that came earlier would find no account
  const decide = decideLogin({ db, now: Date.now, connections: counts })
  const logins = serveLogins(callout, seeds, decide, log, onLogin)
  const rates = watchRates(system, { logger: log, onSent, ...(onRatesAnswer && { onAnswer: onRatesAnswer }) })
  return { services, system, callout, counts, rates, logins, states: serveStates(services, db, log) }
}
