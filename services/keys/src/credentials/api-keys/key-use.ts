import type { Db } from '../../db.ts'
import { touchKeys } from './api-keys.queries.ts'

/** Users of the broker that are keys; services have other names. */
const KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Rows that one statement locks. */
const BATCH = 1_000

/**
 * Keys whose readers sent messages, until they are written as last used. In memory, because a reader that publishes all
 * the time does not log in again, and a write per message would cost more than the message. After a crash, the next
 * count of connections finds the readers that still publish.
 */
export class KeyUse {
  readonly #db: Db
  readonly #used = new Set<string>()

  constructor(db: Db) {
    this.#db = db
  }

  /** Names of broker users. Returns at once. */
  note(users: readonly string[]): void {
    for (const user of users) if (KEY.test(user)) this.#used.add(user)
  }

  /** Keys stay noted if the database is not reachable. Call it one at a time. */
  async flush(): Promise<void> {
    while (this.#used.size > 0) {
      const batch = [...this.#used.values().take(BATCH)]
      await touchKeys(this.#db, batch)
      for (const user of batch) this.#used.delete(user)
    }
  }
}
