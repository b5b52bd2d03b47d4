import { startBackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import { purgeOldAudit } from './organizations/audit/recording.queries.ts'
import { disconnectRevoked } from './brokers/disconnects/disconnects.loop.ts'
import { freeReaderAccounts, purgeClientIds } from './credentials/callout/reader-logins.queries.ts'
import type { KeyUse } from './credentials/api-keys/key-use.ts'
import type { Brokers } from './brokers.ts'
import type { Db } from './db.ts'
import { disconnectMetrics, mailMetrics } from './metrics.ts'
import { purgeSuspensions } from './brokers/floods/suspensions.queries.ts'
import { eraseDeleted } from './credentials/deletion/erasures.loop.ts'
import { sendMails, type MailDeps } from './people/mail/mail.loop.ts'
import { purgeExpiredProofs } from './people/mailboxes/mailbox-proofs.queries.ts'
import { purgePendingSecrets } from './people/second-factor/second-factor.queries.ts'
import { purgeExpiredInvitations } from './people/invitations/invitations.queries.ts'
import { purgeExpiredResetLinks } from './people/password-resets/reset-links.queries.ts'
import { purgeExpiredSignOns } from './people/single-sign-on/sign-on.queries.ts'
import { purgeExpiredLinks } from './credentials/provisioning/provisioning.queries.ts'
import type { SigningKeys } from './credentials/tokens/signing-keys.ts'
import { purgeExpiredTokens } from './credentials/tokens/tokens.queries.ts'

const PURGE_BATCH = 1_000

type Options = {
  db: Db
  log: Logger
  signingKeys: SigningKeys
  signingKeyDays: number
  /** As the owner of the schema. */
  owner: Db
  brokers: Pick<
    Brokers,
    'disconnect' | 'endLostLogins' | 'misplacedReaders' | 'askToErase' | 'dropDeadLetters'
  >
  use: KeyUse
  /** Deletes full rate buckets. */
  purgeBuckets: () => Promise<unknown>
  registry: Registry
  /** Undefined if no mail is sent. */
  mail: Pick<MailDeps, 'mails' | 'smtp'> | undefined
}

/** The timed work of the service. All replicas run it, and share the work. */
export function startLoops({ db, log, registry, signingKeys, signingKeyDays, ...options }: Options) {
  const { brokers, owner, use, purgeBuckets, mail } = options
  const every = (everyMs: number, name: string, turn: (stopping: AbortSignal) => Promise<void>) =>
    startBackgroundJob({ name, everyMs, log, registry }, turn)
  const onDisconnect = disconnectMetrics(registry)
  const onOutcome = mailMetrics(registry)
  return {
    // Picks up revocations of other replicas within the second of D9.3.
    disconnects: every(500, 'disconnects', () =>
      disconnectRevoked({ db, disconnect: brokers.disconnect, log, onDisconnect }),
    ),
    rotation: every(60_000, 'signing-key-rotation', async () => {
      if (await signingKeys.rotateIfDue(signingKeyDays)) log.info('signing key rotated')
    }),
    moves: every(60_000, 'misplaced-readers', async () => {
      const users = brokers.misplacedReaders()
      for (const user of users) await brokers.disconnect(user)
      if (users.length > 0)
        log.warn({ users: users.length }, "readers disconnected from the services' account")
    }),
    lost: every(1_000, 'lost-logins', async () => {
      const logins = await brokers.endLostLogins()
      if (logins > 0)
        log.warn({ logins }, 'readers disconnected because the request for their login was lost')
    }),
    use: every(5_000, 'key-use', () => use.flush()),
    erasures: every(10_000, 'organization-erasures', (stopping) =>
      eraseDeleted({
        owner,
        askToErase: (subject, orgId) => brokers.askToErase(subject, orgId),
        dropDeadLetters: (orgId) => brokers.dropDeadLetters(orgId),
        log,
        stopping,
      }),
    ),
    mails:
      mail &&
      startBackgroundJob({ name: 'mails', everyMs: 1_000, log, registry }, (stopping) =>
        sendMails({ db, log, onOutcome, ...mail }, stopping),
      ),
    purge: every(60_000, 'token-purge', async () => {
      for (const purge of PURGES) await purgeAll(() => purge(db, PURGE_BATCH))
      await purgeBuckets()
    }),
  }
}

const PURGES = [
  purgeExpiredTokens,
  purgeExpiredInvitations,
  purgeExpiredResetLinks,
  purgeExpiredLinks,
  purgeExpiredProofs,
  purgePendingSecrets,
  purgeExpiredSignOns,
  purgeClientIds,
  freeReaderAccounts,
  purgeSuspensions,
  purgeOldAudit,
]

/** At most a hundred batches per run; the rest waits a minute. */
async function purgeAll(purgeBatch: () => Promise<number>): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) if ((await purgeBatch()) === 0) return
}
