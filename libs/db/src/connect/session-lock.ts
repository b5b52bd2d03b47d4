import type pg from 'pg'

export type SessionLock = {
  /** The connection that holds the lock; undefined while another process does. Rejects if the database is unreachable. */
  take(): Promise<pg.PoolClient | undefined>
  /** Ends the session, and with it the lock. */
  abandon(): void
}

const ignore = () => undefined

/**
 * A lock of the pool's schema that one process holds at a time. If its process or its connection ends, another one gets it.
 * If its machine disappears without closing the connection, the database ends the session when it has sent nothing for
 * `idleMs`, so the holder must use the connection more often.
 */
export function sessionLock(pool: pg.Pool, name: string, idleMs: number): SessionLock {
  // With the lock comes the timeout of the session, in one statement: there is no moment with the lock alone.
  const text = `with lock as materialized (
      select pg_try_advisory_lock(hashtextextended('${name}:' || current_schema(), 0)) as mine)
    select mine, case when mine then set_config('idle_session_timeout', '${idleMs}', false) end from lock`
  let client: pg.PoolClient | undefined
  return {
    async take() {
      if (client) return client
      const candidate = await pool.connect()
      candidate.on('error', ignore) // the next statement reports it
      const { rows } = await candidate.query<{ mine: boolean }>(text).catch((error: unknown) => {
        candidate.release(true)
        throw error
      })
      if (rows[0]?.mine) client = candidate
      else {
        candidate.off('error', ignore) // the pool keeps the connection, and hands it out again and again
        candidate.release()
      }
      return client
    },
    abandon() {
      client?.release(true)
      client = undefined
    },
  }
}
