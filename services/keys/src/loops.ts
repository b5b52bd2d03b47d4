import { startBackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import { disconnectRevoked } from './brokers/disconnects/disconnects.loop.ts'
import { freeReaderAccounts, purgeClientIds } from './credentials/callout/reader-logins.queries.ts'
import type { Db } from './db.ts'
import { purgeSuspensions } from './brokers/floods/suspensions.queries.ts'
import { purgeExpiredInvitations } from './people/invitations/invitations.queries.ts'
import { purgeExpiredResetLinks } from './people/password-resets/reset-links.queries.ts'
import { purgeExpiredLinks } from './credentials/provisioning/provisioning.queries.ts'
import type { SigningKeys } from './credentials/tokens/signing-keys.ts'
import { purgeExpiredTokens } from './credentials/tokens/tokens.queries.ts'

const PURGE_BATCH = 1_000

type Options = {
  db: Db
  log: Logger
  signingKeys: SigningKeys
  signingKeyDays: number
  disconnect: (user: string) => Promise<unknown>
  endLostLogins: () => Promise<number>
  misplacedReaders: () => readonly string[]
  /** Writes which keys readers have used. */
  flushUse: () => Promise<void>
  /** Deletes full rate buckets. */
  purgeBuckets: () => Promise<unknown>
  registry?: Registry
  /** Called with the seconds from a revocation to the disconnect. */
  onDisconnect?: (seconds: number) => void
}

/** The timed work of the service. All replicas run it, and share the work. */
export function startLoops(options: Options) {
  const { db, log, registry, signingKeys, signingKeyDays, onDisconnect } = options
  const { disconnect, endLostLogins, misplacedReaders, flushUse, purgeBuckets } = options
  // Picks up revocations of other replicas within the second of D9.3.
  const disconnects = startBackgroundJob({ name: 'disconnects', everyMs: 500, log, registry }, () =>
    disconnectRevoked({ db, disconnect, log, ...(onDisconnect && { onDisconnect }) }),
  )
  const rotation = startBackgroundJob(
    { name: 'signing-key-rotation', everyMs: 60_000, log, registry },
    async () => {
      if (await signingKeys.rotateIfDue(signingKeyDays)) log.info('signing key rotated')
    },
  )
  const moves = startBackgroundJob(
    { name: 'misplaced-readers', everyMs: 60_000, log, registry },
    async () => {
      const users = misplacedReaders()
      for (const user of users) await disconnect(user)
      if (users.length > 0)
        log.warn({ users: users.length }, "readers disconnected from the services' account")
    },
  )
  const lost = startBackgroundJob({ name: 'lost-logins', everyMs: 1_000, log, registry }, async () => {
    const logins = await endLostLogins()
    if (logins > 0) log.warn({ logins }, 'readers disconnected because the request for their login was lost')
  })
  const use = startBackgroundJob({ name: 'key-use', everyMs: 5_000, log, registry }, flushUse)
  const purge = startBackgroundJob({ name: 'token-purge', everyMs: 60_000, log, registry }, async () => {
    await purgeAll(() => purgeExpiredTokens(db, PURGE_BATCH))
    await purgeAll(() => purgeExpiredInvitations(db, PURGE_BATCH))
    await purgeAll(() => purgeExpiredResetLinks(db, PURGE_BATCH))
    await purgeAll(() => purgeExpiredLinks(db, PURGE_BATCH))
    await purgeAll(() => purgeClientIds(db, PURGE_BATCH))
    await purgeAll(() => freeReaderAccounts(db, PURGE_BATCH))
    await purgeAll(() => purgeSuspensions(db, PURGE_BATCH))
    await purgeBuckets()
  })
  return {
    wakeDisconnects: () => disconnects.wake(),
    async stop(): Promise<void> {
      const jobs = [disconnects, rotation, moves, lost, use, purge]
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}

/** At most a hundred batches per run; the rest waits a minute. */
async function purgeAll(purgeBatch: () => Promise<number>): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) if ((await purgeBatch()) === 0) return
}
