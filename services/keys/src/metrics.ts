import { counter, histogram, type Registry } from '@whereabouts/service-kit/observe/metrics'
import { byLabel, startSampling } from '@whereabouts/service-kit/service/sampling'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { OnLogin } from '@whereabouts/messaging/readers/callout'
import type { ServedCertificate } from '@whereabouts/messaging/connect/broker-certificates'
import type { Db } from './db.ts'
import { countReaderAccounts } from './credentials/callout/reader-logins.queries.ts'
import { countEverything } from './metrics.queries.ts'

const CLIENT_TYPES = ['nats', 'mqtt', 'websocket', 'unknown']
const OUTCOMES = ['granted', 'refused', 'undecided']

/** Logins at the broker. Requests for tokens and sessions are measured like other requests. */
export function loginMetrics(registry: Registry): OnLogin {
  const logins = counter(
    registry,
    'broker_logins_total',
    'Broker logins, by decision of the authorization callout. `undecided`: not answered, the reader waits and retries.',
    { client_type: CLIENT_TYPES, outcome: OUTCOMES },
  )
  const durations = histogram(
    registry,
    'broker_login_duration_seconds',
    'Time until a login was decided, including the wait in the queue. The broker waits 35 s.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 5, 35],
    { outcome: OUTCOMES },
  )
  return (clientType, outcome, seconds) => {
    // The broker names the type, but a label must have few values.
    logins.inc({ client_type: CLIENT_TYPES.includes(clientType) ? clientType : 'unknown', outcome })
    durations.observe({ outcome }, seconds)
  }
}

/** Time from a revocation to the disconnect. */
export function disconnectMetrics(registry: Registry): (seconds: number) => void {
  const delays = histogram(
    registry,
    'revocation_disconnect_delay_seconds',
    'Time from the revocation of an API key until its broker connections were closed.',
    [0.1, 0.25, 0.5, 1, 2.5, 5],
  )
  return (seconds) => delays.observe(seconds)
}

/** Counts the keys that this process suspends. */
export function suspensionMetrics(registry: Registry): () => void {
  const suspensions = counter(
    registry,
    'reader_suspensions_total',
    'Keys whose readers were suspended because they exceeded the message rate of their organization by far.',
  )
  return () => suspensions.inc()
}

const MAIL_OUTCOMES = ['sent', 'failed', 'refused', 'expired'] as const

/** Attempts to send a mail. */
export function mailMetrics(registry: Registry): (outcome: (typeof MAIL_OUTCOMES)[number]) => void {
  const mails = counter(
    registry,
    'mails_total',
    'Attempts to send a mail. `failed` is retried, `refused` and `expired` are given up.',
    { outcome: MAIL_OUTCOMES },
  )
  return (outcome) => mails.inc({ outcome })
}

type GaugeOptions = {
  db: Db
  registry: Registry
  log: Logger
  signingKeyDays: number
  /** Number of reader accounts at the broker; undefined until it has reported them. */
  readerAccounts: () => number | undefined
  /** The certificates that the brokers serve. */
  certificates: () => Promise<ServedCertificate[]>
}

const SUBSCRIPTIONS = ['open_ended', 'ends_within_14_days', 'ends_later', 'lapsed'] as const

/** Gauges from the database: organizations by subscription, the signing key, pending disconnects, mails. */
export function startGauges({
  db,
  registry,
  log,
  signingKeyDays,
  readerAccounts,
  certificates,
}: GaugeOptions): {
  stop(): Promise<void>
} {
  return startSampling({
    registry,
    log,
    work: 'keys-sampling',
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
      mails_waiting: { help: 'Mails that the SMTP server has not taken yet.' },
      mail_oldest_waiting_seconds: { help: 'Age of the oldest mail that waits.' },
      reader_accounts: {
        help: 'Accounts for NATS readers at the broker. Absent until the broker has reported them.',
      },
      reader_accounts_used: { help: 'Organizations with an account for NATS readers.' },
      broker_certificate_expiry_timestamp_seconds: {
        help: 'When the first certificate expires that a broker serves to clients, MQTT readers or other brokers.',
      },
    },
    sample: async () => {
      const { subscriptions, signing_key_age, oldest_revocation, ...mail } = await countEverything(db)
      return {
        organizations: byLabel('subscription', SUBSCRIPTIONS, subscriptions),
        signing_key_age_seconds: signing_key_age ?? Number.NaN,
        signing_key_rotation_seconds: signingKeyDays * 86_400,
        revocation_oldest_pending_seconds: oldest_revocation ?? 0,
        mails_waiting: mail.mails,
        mail_oldest_waiting_seconds: mail.oldest_mail ?? 0,
        reader_accounts: readerAccounts() ?? Number.NaN,
        reader_accounts_used: await countReaderAccounts(db),
        broker_certificate_expiry_timestamp_seconds: firstExpiry(await certificates()),
      }
    },
  })
}

/** In seconds since 1970; NaN if no broker serves a certificate. */
function firstExpiry(served: readonly ServedCertificate[]): number {
  const first = Math.min(...served.map(({ expiresAtMs }) => expiresAtMs))
  return served.length > 0 ? first / 1_000 : Number.NaN
}
