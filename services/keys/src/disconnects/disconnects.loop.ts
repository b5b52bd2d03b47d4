import type { Logger } from '@whereabouts/service-kit/logging'
import type { Db } from '../db.ts'
import { claimDueDisconnects, deletePendingDisconnect, type DueDisconnect } from './disconnects.queries.ts'

const BATCH = 20

type Options = {
  db: Db
  /** Ends the live connections of a broker user. Throws when the broker could not be asked. */
  disconnect: (user: string) => Promise<unknown>
  log: Logger
  /** Told how long after the revocation the first round ended the connections. */
  onDisconnect?: (seconds: number) => void
}

/**
 * Ends the live connections of revoked and suspended keys, once around. Driven by rows that the revocation itself commits, not by
 * the KEYS stream: the stream tells every replica of every key ever revoked at each start, while a row is worked off
 * once, by any replica, and survives a crash at any line.
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
