import { Counter, fromZero, Histogram, type Registry } from '@whereabouts/service-kit/metrics'
import { byLabel, startSampling } from '@whereabouts/service-kit/sampling'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { OnLogin } from '@whereabouts/messaging/callout'
import type { Db } from './db.ts'
import { countReaderAccounts } from './callout/reader-logins.queries.ts'
import { countEverything } from './metrics.queries.ts'

const CLIENT_TYPES = ['nats', 'mqtt', 'websocket', 'unknown']
const OUTCOMES = ['granted', 'refused', 'undecided']

/** Logins at the broker. Requests for tokens and sessions are requests like others, measured by operation and status. */
export function loginMetrics(registry: Registry): OnLogin {
  const logins = new Counter({
    name: 'broker_logins_total',
    help: 'Broker logins, by decision of the authorization callout. `undecided`: refused because no decision came in time.',
    labelNames: ['client_type', 'outcome'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'broker_login_duration_seconds',
    help: 'Time until a login was decided, including the wait in the queue. After 1.5 s it is refused.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5],
    registers: [registry],
  })
  fromZero(logins, { client_type: CLIENT_TYPES, outcome: OUTCOMES })
  fromZero(durations, { outcome: OUTCOMES })
  return (clientType, outcome, seconds) => {
    // The type is the broker's word, but a label's values must be few whatever it says.
    logins.inc({ client_type: CLIENT_TYPES.includes(clientType) ? clientType : 'unknown', outcome })
    durations.observe({ outcome }, seconds)
  }
}

/** How long the connections of revoked keys outlived them. */
export function disconnectMetrics(registry: Registry): (seconds: number) => void {
  const delays = new Histogram({
    name: 'revocation_disconnect_delay_seconds',
    help: 'Time from the revocation of an API key until its broker connections were closed.',
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  return (seconds) => delays.observe(seconds)
}

/** GaugeOptions the keys that this process has suspended. */
export function suspensionMetrics(registry: Registry): () => void {
  const suspensions = new Counter({
    name: 'reader_suspensions_total',
    help: 'Keys whose readers were suspended because they exceeded the message rate of their organization by far.',
    registers: [registry],
  })
  return () => suspensions.inc()
}

type GaugeOptions = {
  db: Db
  registry: Registry
  log: Logger
  signingKeyDays: number
  /** Accounts for readers that the broker has; undefined until it was asked. */
  readerAccounts: () => number | undefined
}

const SUBSCRIPTIONS = ['open_ended', 'ends_within_14_days', 'ends_later', 'lapsed'] as const

/** What the database knows: organizations by their subscription, the signing key, revocations that wait. */
export function startGauges({ db, registry, log, signingKeyDays, readerAccounts }: GaugeOptions): {
  stop(): Promise<void>
} {
  return startSampling({
    registry,
    log,
    work: 'keys-census',
    everyMs: 15_000,
    gauges: {
      organizations: {
        help: 'Organizations, by the state of their subscription.',
        labelNames: ['subscription'],
      },
      signing_key_age_seconds: { help: 'Age of the key that signs access tokens.' },
      signing_key_rotation_seconds: { help: 'Age at which a signing key is replaced.' },
      revocation_oldest_pending_seconds: {
        help: 'Age of the oldest revocation whose connections may still be open. Up to six seconds are normal.',
      },
      reader_accounts: {
        help: 'Accounts for NATS readers at the broker. Absent until the broker has reported them.',
      },
      reader_accounts_used: { help: 'Organizations with an account for NATS readers.' },
    },
    sample: async () => {
      const { subscriptions, signing_key_age, oldest_revocation } = await countEverything(db)
      return {
        organizations: byLabel('subscription', SUBSCRIPTIONS, subscriptions),
        signing_key_age_seconds: signing_key_age ?? Number.NaN,
        signing_key_rotation_seconds: signingKeyDays * 86_400,
        revocation_oldest_pending_seconds: oldest_revocation ?? 0,
        reader_accounts: readerAccounts() ?? Number.NaN,
        reader_accounts_used: await countReaderAccounts(db),
      }
    },
  })
}
