import { startBackgroundJob } from '@whereabouts/service-kit/background-job'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import { disconnectRevoked } from './disconnects/disconnects.loop.ts'
import { purgeClientIds } from './callout/reader-logins.queries.ts'
import type { Db } from './db.ts'
import { purgeSuspensions } from './floods/suspensions.queries.ts'
import { purgeExpiredInvitations } from './invitations/invitations.queries.ts'
import type { SigningKeys } from './tokens/signing-keys.ts'
import { purgeExpiredTokens } from './tokens/tokens.queries.ts'

const PURGE_BATCH = 1_000

type Options = {
  db: Db
  log: Logger
  signingKeys: SigningKeys
  signingKeyDays: number
  disconnect: (user: string) => Promise<unknown>
  misplacedReaders: () => readonly string[]
  /** Forgets rate buckets that are full. */
  purgeBuckets: () => Promise<unknown>
  registry?: Registry
  /** Told how long after a revocation the connections of its key were ended. */
  onDisconnect?: (seconds: number) => void
}

/** The timed work of the service. Every replica runs it; each turn takes only what no other has taken. */
export function startLoops(options: Options) {
  const { db, log, registry, signingKeys, signingKeyDays, onDisconnect } = options
  const { disconnect, misplacedReaders, purgeBuckets } = options
  // Revocations of another replica are seen at the next turn, well within the second that D9.3 allows.
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
  const purge = startBackgroundJob({ name: 'token-purge', everyMs: 60_000, log, registry }, async () => {
    await purgeAll(() => purgeExpiredTokens(db, PURGE_BATCH))
    await purgeAll(() => purgeExpiredInvitations(db, PURGE_BATCH))
    await purgeAll(() => purgeClientIds(db, PURGE_BATCH))
    await purgeAll(() => purgeSuspensions(db, PURGE_BATCH))
    await purgeBuckets()
  })
  return {
    wakeDisconnects: () => disconnects.wake(),
    async stop(): Promise<void> {
      await Promise.all([disconnects.stop(), rotation.stop(), moves.stop(), purge.stop()])
    },
  }
}

/** A few batches a turn: the rest waits a minute, which no table notices. */
async function purgeAll(purgeBatch: () => Promise<number>): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) if ((await purgeBatch()) === 0) return
}
