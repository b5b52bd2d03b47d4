import type { Logger } from '@whereabouts/service-kit/logging'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { parseInt8, parseTimestamptz } from './type-parsers.ts'

/** Connections in use and idle, statements that wait for one, and how many connections there are at most. */
export type PoolLoad = { inUse: number; idle: number; waiting: number; max: number }

export const loadOf = ({ totalCount, idleCount, waitingCount, options }: pg.Pool): PoolLoad => ({
  inUse: totalCount - idleCount,
  idle: idleCount,
  waiting: waitingCount,
  max: options.max,
})

export type Database<T> = {
  db: Kysely<T>
  /** For what Kysely does not do: session locks, COPY. */
  pool: pg.Pool
  /** How its connections are used at this moment. */
  load(): PoolLoad
  /** Answers whether a statement gets through within a second. */
  isReachable(): Promise<boolean>
  close(): Promise<void>
}

type Options = {
  /** Connections at most. */
  max: number
  /** Shown by pg_stat_activity. */
  name?: string
  log?: Logger
  statementTimeoutMs?: number
  /** What the sessions of this pool are set to besides, such as how the planner weighs things. */
  settings?: Readonly<Record<string, string>>
}

/** How columns are parsed, whatever kind of connection reads them. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return parseInt8
    if (oid === pg.types.builtins.TIMESTAMPTZ) return parseTimestamptz
    return pg.types.getTypeParser(oid, format)
  }) as pg.CustomTypesConfig['getTypeParser'],
}

/** What every session of ours is set to. */
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

/** What all pools of ours have in common. */
export function poolConfig(
  url: string,
  { max, name, statementTimeoutMs = 30_000, settings }: Omit<Options, 'log'>,
): pg.PoolConfig & { options: string } {
  return {
    connectionString: url,
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
 * Opens a pool to one database as one role. `int8` arrives as number (beyond 2^53-1 throws) and `timestamptz` as the
 * wire's own text, UTC with milliseconds. Connecting is lazy: a database that is away shows in readiness, not here.
 */
export function openDatabase<T>(url: string, { log, ...options }: Options): Database<T> {
  const pool = new pg.Pool(poolConfig(url, options))
  surviveBreaks(pool, log)
  const db = new Kysely<T>({ dialect: new PostgresDialect({ pool }) })
  return {
    db,
    pool,
    load: () => loadOf(pool),
    isReachable: () => isReachable(pool),
    close: () => db.destroy(),
  }
}

/**
 * Without listeners a connection that breaks would end the process: idle in the pool, or in the hands of somebody who
 * is between two statements. The next statement of the latter fails.
 */
export function surviveBreaks(pool: pg.Pool, log: Logger | undefined): void {
  pool.on('error', (error) => log?.warn({ err: error }, 'idle database connection lost'))
  pool.on('connect', (client) => client.on('error', () => undefined))
}

async function isReachable(pool: pg.Pool): Promise<boolean> {
  const timer = new Promise<false>((resolve) => setTimeout(resolve, 1_000, false).unref())
  const probe = pool.query('select 1').then(
    () => true,
    () => false,
  )
  return Promise.race([probe, timer])
}
