import type { Logger } from '@whereabouts/service-kit/logging'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { openPool } from './login.ts'
import { parseInt8, parseTimestamptz } from './type-parsers.ts'

/** Connections in use and idle, statements that wait for a connection, and the largest number of connections. */
export type PoolLoad = { inUse: number; idle: number; waiting: number; max: number }

export const loadOf = ({ totalCount, idleCount, waitingCount, options }: pg.Pool): PoolLoad => ({
  inUse: totalCount - idleCount,
  idle: idleCount,
  waiting: waitingCount,
  max: options.max,
})

export type Database<T> = {
  db: Kysely<T>
  /** For features that Kysely lacks: session locks, COPY. */
  pool: pg.Pool
  /** Current use of the connections. */
  load(): PoolLoad
  /** Whether a statement succeeds within a second. */
  isReachable(): Promise<boolean>
  close(): Promise<void>
}

type Options = {
  /** Largest number of connections. */
  max: number
  /** Shown by pg_stat_activity. */
  name?: string
  log?: Logger
  statementTimeoutMs?: number
  /** Further settings of the sessions of this pool, such as costs for the planner. */
  settings?: Readonly<Record<string, string>>
}

/** The parsers of columns, for all kinds of connections. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return parseInt8
    if (oid === pg.types.builtins.TIMESTAMPTZ) return parseTimestamptz
    return pg.types.getTypeParser(oid, format)
  }) as pg.CustomTypesConfig['getTypeParser'],
}

/** Settings of all our sessions. */
export const sessionOptions = (
  statementTimeoutMs: number,
  settings: Readonly<Record<string, string>> = {},
): string =>
  Object.entries({
    timezone: 'UTC',
    datestyle: 'ISO',
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 60_000,
    ...settings,
  })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

/** Options of all our pools. */
export function poolConfig({
  max,
  name,
  statementTimeoutMs = 30_000,
  settings,
}: Omit<Options, 'log'>): pg.PoolConfig & { options: string } {
  return {
    max,
    types,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    options: sessionOptions(statementTimeoutMs, settings),
    ...(name !== undefined && { application_name: name }),
  }
}

/**
 * Opens a pool to one database as one role. `url` may carry a `previous_password` (login.ts). `int8` becomes a number (beyond 2^53-1 it throws), and `timestamptz`
 * becomes the text of our API, in UTC with milliseconds. Connects on the first statement: an unreachable database
 * shows in readiness, not here.
 */
export function openDatabase<T>(url: string, { log, ...options }: Options): Database<T> {
  const pool = openPool(url, poolConfig(options), log)
  const db = new Kysely<T>({ dialect: new PostgresDialect({ pool }) })
  return {
    db,
    pool,
    load: () => loadOf(pool),
    isReachable: () => isReachable(pool),
    close: () => db.destroy(),
  }
}

async function isReachable(pool: pg.Pool): Promise<boolean> {
  const timer = new Promise<false>((resolve) => setTimeout(resolve, 1_000, false).unref())
  const probe = pool.query('select 1').then(
    () => true,
    () => false,
  )
  return Promise.race([probe, timer])
}
