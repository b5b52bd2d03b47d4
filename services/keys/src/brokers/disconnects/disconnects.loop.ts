import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Db } from '../../db.ts'
import { claimDueDisconnects, deletePendingDisconnect, type DueDisconnect } from './disconnects.queries.ts'

const BATCH = 20

type Options = {
  db: Db
  /** Closes the connections of a broker user. Throws if the broker is unreachable. */
  disconnect: (user: string) => Promise<unknown>
  log: Logger
  /** Called with the seconds from the revocation to the first disconnect. */
  onDisconnect?: (seconds: number) => void
}

/**
 * Closes the connections of revoked and suspended keys. It works off rows that the revocation commits, not the KEYS
 * stream: at each start the stream tells each replica of all revoked keys, while a row is handled once, by any replica,
 * and survives a crash.
 */
export async function disconnectRevoked(options: Options): Promise<void> {
  const due = await claimDueDisconnects(options.db, BATCH)
  await Promise.all(due.map((claimed) => disconnectOne(options, claimed)))
}

async function disconnectOne(options: Options, { jti, is_settled, age_seconds }: DueDisconnect) {
  const { db, disconnect, log, onDisconnect } = options
  try {
    await disconnect(jti)
    if (is_settled) await deletePendingDisconnect(db, jti)
    else onDisconnect?.(age_seconds)
  } catch (error) {
    log.warn({ err: error, key_id: jti }, 'reader disconnection failed; will retry')
  }
}
