import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Socket } from 'node:net'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { loginOf } from './login.ts'
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
  /**
   * Statements with parameters are planned once per connection, for all values, and look rows up by an index, because a
   * plan may be older than most rows. For a few statements that run all the time: planning costs more than they do. None may
   * use `*`.
   */
  plansOnce?: boolean
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

export const STATEMENT_TIMEOUT_MS = 30_000
/** How much later than the database's own timeout an answer may arrive. */
const LATE_MS = 5_000

/** Options of all our pools. */
export function poolConfig({
  max,
  name,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  settings,
}: Omit<Options, 'log'>): pg.PoolConfig & { options: string } {
  return {
    max,
    types,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000, // the default of the system is two hours
    options: sessionOptions(statementTimeoutMs, settings),
    ...(name !== undefined && { application_name: name }),
  }
}

const PLANS_ONCE = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

/**
 * Opens a pool to one database as one role. `url` may carry a `previous_password` (login.ts). `int8` becomes a
 * number (beyond 2^53-1 it throws), and `timestamptz` becomes the text of our API, in UTC with milliseconds. Connects on the first statement: an unreachable database
 * shows in readiness, not here.
 */
export function openDatabase<T>(url: string, { log, plansOnce = false, ...options }: Options): Database<T> {
  const settings = { ...options.settings, ...(plansOnce && PLANS_ONCE) }
  const pool = new pg.Pool({ ...poolConfig({ ...options, settings }), ...loginOf(url, log) })
  surviveBreaks(pool, log)
  dropSilent(pool, options.statementTimeoutMs)
  const db = new Kysely<T>({ dialect: new PostgresDialect({ pool: plansOnce ? planningOnce(pool) : pool }) })
  return {
    db,
    pool,
    load: () => loadOf(pool),
    isReachable: () => isReachable(pool),
    close: () => db.destroy(),
  }
}

/** Gives each statement with parameters a name, so that the server keeps its plan. */
function planningOnce(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>()
  const nameOf = (text: string): string => {
    const known = names.get(text)
    if (known !== undefined) return known
    const name = `s${names.size}`
    names.set(text, name)
    return name
  }
  return {
    async connect() {
      const client = await pool.connect()
      const query = (text: string, values: readonly unknown[]) =>
        client.query({ ...(values.length > 0 && { name: nameOf(text) }), text, values: [...values] })
      return { query: query as never, release: (destroy?: boolean) => client.release(destroy) } // without cursors, which we never use
    },
    end: () => pool.end(),
    options: pool.options,
  }
}

/**
 * Without these listeners a connection that breaks would end the process, whether it is idle or taken from the pool. If
 * it is taken, its next statement fails.
 */
export function surviveBreaks(pool: pg.Pool, log: Logger | undefined): void {
  pool.on('error', (error) => log?.warn({ err: error }, 'idle database connection lost'))
  pool.on('connect', (client) => client.on('error', () => undefined))
}

/**
 * Closes a connection that is in use and carries nothing for longer than any statement may take: the machine at the
 * other end is gone, and the system would notice it after a quarter of an hour. The statement then fails, and the pool
 * opens a new connection. Code that holds an idle connection must send a statement now and then. With a timeout
 * of 0, statements may take for ever, as in migrations.
 */
export function dropSilent(pool: pg.Pool, statementTimeoutMs = STATEMENT_TIMEOUT_MS): void {
  if (statementTimeoutMs === 0) return
  const mostMs = statementTimeoutMs + LATE_MS
  pool.on('connect', (client) => {
    const socket = socketOf(client)
    socket.on('timeout', () => socket.destroy(new Error(`no answer from the database in ${mostMs} ms`)))
  })
  pool.on('acquire', (client) => void socketOf(client).setTimeout(mostMs))
  pool.on('release', (_error, client) => void socketOf(client).setTimeout(0))
}

/** A client of pg without a stream of its own has a socket, encrypted or not. */
const socketOf = ({ connection }: pg.PoolClient) => connection.stream as Socket

async function isReachable(pool: pg.Pool): Promise<boolean> {
  const timer = new Promise<false>((resolve) => setTimeout(resolve, 1_000, false).unref())
  const probe = pool.query('select 1').then(
    () => true,
    () => false,
  )
  return Promise.race([probe, timer])
}
