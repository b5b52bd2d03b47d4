import { ErasureReply } from '@whereabouts/contracts/messages/usage'
import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import type { OutboxRow } from '@whereabouts/db/outbox/outbox-relay'
import { serveLogins, type LoginResponder, type OnLogin } from '@whereabouts/messaging/readers/callout'
import {
  brokerLogin,
  connect,
  FOR_EVER,
  type Broker,
  type ConnectionMetrics,
} from '@whereabouts/messaging/connect/connection'
import type { Sent } from '@whereabouts/messaging/readers/account-connections'
import { servedCertificates } from '@whereabouts/messaging/connect/broker-certificates'
import { countConnections, type ConnectionCounts } from '@whereabouts/messaging/readers/connection-counts'
import { watchRates } from '@whereabouts/messaging/readers/connection-rates'
import { disconnectUser, disconnectWaiting } from '@whereabouts/messaging/readers/disconnect-user'
import { dropDeadLettersOf } from '@whereabouts/messaging/dead-letters/dead-letters-settle'
import { immediatePublish } from '@whereabouts/messaging/messages/publish'
import { request, respond, type Responder } from '@whereabouts/messaging/messages/request'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { decideLogin } from './credentials/callout/logins.ts'
import { slowRefusals } from './credentials/callout/slow-refusals.ts'
import type { Config } from './config.ts'
import type { Db } from './db.ts'
import { askUsage } from './limits/usage.queries.ts'
import { serveReaderUse } from './credentials/api-keys/reader-use.responder.ts'
import { republishState } from './restore/states.ts'

type Deps = {
  db: Db
  log: Logger
  /** By the name of the connection's user. */
  metrics?: (connection: string) => ConnectionMetrics
  onLogin?: OnLogin
  /** Called periodically with what users have sent in busy accounts. */
  onSent?: (sent: readonly Sent[]) => void
  /** Called at least once a minute with the users that sent something since the last call. */
  onMessages?: (users: readonly string[]) => void
  /** Called for each report of a broker on what accounts have sent. */
  onRatesAnswer?: () => void
}
/**
 * A connection may take 2 s for the TLS handshake and 1.5 s for its decision. After that, a replica with nothing left to
 * decide does not have it.
 */
const LOST_AFTER_MS = 5_000
/** A step takes a second, and its last statement up to 30. */
const ERASURE_TIMEOUT_MS = 40_000

type Connections = {
  services: Broker
  system: Broker
  callout: Broker
  counts: ConnectionCounts
  rates: { stop(): void }
  logins: LoginResponder
  states: Responder
  readerUse: Responder
}

/** The connections of this service's three broker users. */
export type Brokers = ReturnType<typeof openBrokers>

/** Opens them when `connected` is first read, while the service already serves requests. */
export function openBrokers(config: Config, deps: Deps) {
  let live: Connections | undefined
  let connecting: Promise<Broker> | undefined
  const connectOnce = async () => {
    live = await connectAll(config, deps)
    return live.services
  }
  return {
    /** The connection of the service itself. Rejects if the broker refuses a password. */
    get connected(): Promise<Broker> {
      return (connecting ??= connectOnce())
    },
    isConnected: () =>
      live !== undefined &&
      [live.services, live.system, live.callout].every((broker) => broker.isConnected()),
    /** For the outbox relay. Returns false for every row while the broker is unreachable, and the rows stay. */
    publish: async (rows: readonly OutboxRow[]) =>
      live ? immediatePublish(live.services, deps.log)(rows) : rows.map(() => false),
    /** Throws if the broker is unreachable. */
    disconnect: (user: string) => asSystem(live?.system, (system) => disconnectUser(system, user)),
    /**
     * Disconnects readers that wait for their login while this replica keeps up: their request is lost, and they retry.
     * Resolves with their number.
     */
    async endLostLogins() {
      if (!live?.logins.isKeepingUp() || !live.callout.isConnected() || !live.system.isConnected()) return 0
      return disconnectWaiting(live.system, LOST_AFTER_MS)
    },
    /** Whether a broker user has connections, as last reported by the brokers. */
    hasConnections: (user: string) => (live?.counts.of(user) ?? 0) > 0,
    /**
     * Readers in the account of the services, where releases without reader accounts put them. After a disconnect they
     * reconnect to their own account.
     */
    misplacedReaders: () => live?.counts.usersIn('APP').filter((user) => user !== config.NATS_USER) ?? [],
    /** Undefined until the broker has reported them. */
    readerAccounts: () => live?.counts.readerAccounts,
    /** What the organization stores in other services. */
    async usageElsewhere(orgId: number) {
      if (!live) throw new Error('not connected to the broker yet')
      return askUsage(live.services, orgId)
    },
    async askToErase(subject: string, orgId: number) {
      if (!live) throw new Error('not connected to the broker yet')
      const reply = await request(
        live.services,
        subject,
        { org_id: orgId },
        { timeoutMs: ERASURE_TIMEOUT_MS },
      )
      return ErasureReply.parse(reply)
    },
    async dropDeadLetters(orgId: number) {
      if (!live) throw new Error('not connected to the broker yet')
      await dropDeadLettersOf(live.services, orgId)
    },
    /** None while the brokers do not answer. */
    certificates: async () => (live ? servedCertificates(live.system).catch(() => []) : []),
    /** Takes no more logins and requests, and finishes those in progress. */
    async stopAnswering() {
      await Promise.all([live?.logins.stop(), live?.states.stop(), live?.readerUse.stop()])
      live?.counts.stop()
      live?.rates.stop()
    },
    async close() {
      if (live) await Promise.all([live.services.drain(), live.system.close(), live.callout.close()])
    },
  }
}

/** Checks the connection twice: a broker that fails in between may return nothing, like one without connections. */
async function asSystem(system: Broker | undefined, work: (system: Broker) => Promise<unknown>) {
  if (!system?.isConnected()) throw new Error('not connected to the broker as system')
  await work(system)
  if (!system.isConnected()) throw new Error('the connection to the broker was lost')
}

async function connectAll(config: Config, deps: Deps): Promise<Connections> {
  const { db, log, metrics, onLogin, onMessages, onSent = () => undefined, onRatesAnswer } = deps
  const open = (user: string, password: string, options: { eager?: boolean } = {}) =>
    connect({
      ...brokerLogin(config),
      user,
      password,
      name: 'keys',
      logger: log,
      firstConnectMs: FOR_EVER,
      metrics: metrics?.(user),
      ...options,
    })
  const [services, system, callout] = await Promise.all([
    open(config.NATS_USER, config.NATS_PASSWORD),
    open('system', config.NATS_SYSTEM_PASSWORD),
    // Until it is connected again, the requests of a restarted broker are lost.
    open('callout', config.CALLOUT_PASSWORD, { eager: true }),
  ])
  const seeds = { issuerSeed: config.CALLOUT_ISSUER_SEED, xkeySeed: config.CALLOUT_XKEY_SEED }
  const counts = countConnections(system, log, { ...(onMessages && { onMessages }) })
  await counts.refresh() // before the first login, which needs the number of accounts
  const decide = slowRefusals(decideLogin({ db, now: Date.now, connections: counts }), Date.now)
  const logins = serveLogins(callout, seeds, decide, log, onLogin)
  const rates = watchRates(system, { logger: log, onSent, ...(onRatesAnswer && { onAnswer: onRatesAnswer }) })
  const states = respond(
    services,
    republishKeysState.subject,
    'keys-republish-state',
    async (payload) => republishState(db, payload),
    { logger: log },
  )
  const readerUse = serveReaderUse(services, db, log)
  return { services, system, callout, counts, rates, logins, states, readerUse }
}
