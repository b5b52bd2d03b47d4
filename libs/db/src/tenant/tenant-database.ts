import { FairGate } from '@whereabouts/service-kit/limits/fair-gate'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { clientLeft, type RequestClient } from '@whereabouts/service-kit/observe/request-client'
import { currentTrace } from '@whereabouts/service-kit/observe/trace'
import { Kysely, sql, type RawBuilder, type Transaction } from 'kysely'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import {
  dropSilent,
  loadOf,
  poolConfig,
  STATEMENT_TIMEOUT_MS,
  surviveBreaks,
  type PoolLoad,
} from '../connect/database.ts'
import { loginOf } from '../connect/login.ts'
import { urlAs } from './service-roles.ts'
import { tenantDialect, type TenantConnection } from './tenant-dialect.ts'

/**
 * The only access of requests to tables that belong to organizations. Each statement runs as a role that owns
 * nothing, on a connection that is set to one organization. So the row-level security of the tables (`openToRoles`)
 * hides the rows of all others, even if the statement has no filter.
 */
export type TenantDatabase<T> = {
  /** Current use of the connections. Statements that wait for the turn of their organization count as waiting. */
  load(): PoolLoad
  /** For statements of one organization. Cheap: each request calls it. Not within a transaction of it. */
  forOrg(orgId: number): Kysely<T>
  /**
   * Runs `work` in a transaction of one organization. Must not be nested, and `work` must use `tx` alone: while it holds
   * a connection, it may wait in vain for another one of its organization.
   */
  transaction<R>(orgId: number, work: (tx: Transaction<T>) => Promise<R>): Promise<R>
  close(): Promise<void>
}

type Options = {
  /** Largest number of connections. */
  max: number
  /** Shown by pg_stat_activity. */
  name: string
  log?: Logger
  /** Of a statement outside of a transaction. Requests read with these. */
  readTimeoutMs?: number
  /** Of a statement in a transaction. */
  statementTimeoutMs?: number
  /** Further settings of the sessions, such as costs for the planner. */
  settings?: Readonly<Record<string, string>>
  /**
   * Whether statements are prepared once per connection. False if the best plan depends on the values, or if statements
   * use `*`: such a prepared statement fails after a migration has added a column.
   */
  prepared?: boolean
}

/** Far more than any read of a usual organization takes. */
const READ_TIMEOUT_MS = 5_000

/** In front of the connections of a pool. A thousand creates take some seconds. */
const GATE = { waiting: 5_000, waitingPerKey: 1_000, maxWaitMs: 10_000 }

/** How many organizations keep their Kysely for the next request. */
const MAX_OPENED = 1_000

/** The setting with which the policies of the tables compare. */
export const ORG_SETTING = 'whereabouts.org_id'

/** `url` names the owner of the schema; sessions log in as its `_tenant` (`service-roles.ts`). */
export function openTenantDatabase<T>(
  url: string,
  {
    log,
    prepared = true,
    readTimeoutMs = READ_TIMEOUT_MS,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    ...options
  }: Options,
): TenantDatabase<T> {
  const { max } = options
  const config = poolConfig({ ...options, max: max + 1, statementTimeoutMs: readTimeoutMs }) // one is free to cancel
  const pool = new pg.Pool({ ...config, pipeline: true, ...loginOf(urlAs('tenant', url), log) })
  surviveBreaks(pool, log)
  dropSilent(pool, Math.max(readTimeoutMs, statementTimeoutMs))
  const begin = `begin; set local statement_timeout = ${statementTimeoutMs}`
  const gate = new FairGate<number>({ running: max, ...GATE })
  const toSend = (text: string) => statement(text, prepared)
  async function connectInTurn(orgId: number): Promise<TenantConnection> {
    const requester = currentTrace()?.client
    const turn = gate.enter(orgId, requester)
    if (turn) await turn
    const leave = () => gate.leave(orgId)
    try {
      return await connectFor(pool, orgId, { toSend, begin, requester, onRelease: leave })
    } catch (error) {
      leave()
      throw error
    }
  }
  const open = (orgId: number) => new Kysely<T>({ dialect: tenantDialect(() => connectInTurn(orgId)) })
  const opened = new LRUCache<number, Kysely<T>>({ max: MAX_OPENED }) // evicted ones hold no connection
  function forOrg(orgId: number): Kysely<T> {
    const known = opened.get(orgId)
    if (known) return known
    const made = open(orgId)
    opened.set(orgId, made)
    return made
  }
  return {
    load() {
      const load = loadOf(pool)
      return { ...load, max, waiting: load.waiting + gate.sizes().waiting }
    },
    forOrg,
    transaction: (orgId, work) => forOrg(orgId).transaction().execute(work),
    close: () => pool.end(),
  }
}

/** The organization that each open connection is set to. */
const orgOf = new WeakMap<pg.PoolClient, number>()

/** The `plan_cache_mode` that was last sent on each open connection. */
const modeOf = new WeakMap<pg.PoolClient, PlanMode | 'unknown'>()

type Use = {
  toSend: (text: string) => Statement
  begin: string
  requester: RequestClient | undefined
  /** Called when the connection is in the pool again. */
  onRelease: () => void
}

/**
 * A connection that is set to one organization. The setting belongs to the session, not to a transaction, because a
 * read would otherwise need three more statements (ADR 17). It is set again whenever the organization changes, and the
 * mode of plans whenever a statement needs the other one. Neither of these nor `begin` is waited for: the first
 * statement follows in the same packet, and its answer is withheld until all have succeeded. After `begin` only a select is sent that way, because it would change nothing
 * if `begin` failed. `begin` also sets the longer timeout of statements in a transaction.
 *
 * When the client of the request leaves, the server cancels the statement. The connection is then closed, because its next statement could be
 * canceled instead. It is kept until the server has answered, because another session could get its process id.
 */
async function connectFor(
  pool: pg.Pool,
  orgId: number,
  { toSend, begin, requester, onRelease }: Use,
): Promise<TenantConnection> {
  const client = await pool.connect()
  let ahead: Promise<unknown> | undefined
  let isBeginning = false
  let broken = false
  let canceled: Promise<unknown> | undefined
  const sendAhead = (sent: Promise<unknown>) => {
    ahead = Promise.all([ahead, sent])
    ahead.catch(() => {
      broken = true
    })
  }
  const stopWatching = requester?.onLeave(() => {
    broken = true
    canceled = cancel(pool, client)
  })
  if (orgOf.get(client) !== orgId) sendAhead(setOrganization(client, orgId))
  const confirmed = async () => {
    await ahead
    ahead = undefined
    isBeginning = false
  }
  const send = ({ mode, ...toRun }: Statement, parameters: readonly unknown[]) => {
    if ((modeOf.get(client) ?? 'auto') !== mode) sendAhead(setMode(client, mode))
    return client.query({ ...toRun, values: [...parameters] })
  }
  const answered = async (text: string, ask: () => Promise<pg.QueryResult>) => {
    if (isBeginning && !SELECT.test(text)) await confirmed()
    if (requester?.hasLeft) throw clientLeft()
    const answer = ask()
    try {
      if (ahead) await Promise.all([confirmed(), answer])
      return await answer
    } catch (error) {
      throw requester?.hasLeft ? clientLeft() : error
    }
  }
  const release = (destroy: boolean) => {
    client.release(broken || destroy)
    onRelease()
  }
  return {
    query: (text, parameters) => answered(text, () => send(toSend(text), parameters)),
    begin() {
      sendAhead(client.query(begin))
      isBeginning = true
    },
    end: (how) => answered(how, () => endTransaction(client, how)),
    release(destroy) {
      stopWatching?.()
      if (canceled) void canceled.then(() => release(destroy))
      else release(destroy)
    },
  }
}

/** Never rejects: a statement that cannot be canceled ends at its timeout. */
async function cancel(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
  const { processID } = client as pg.PoolClient & { processID?: number } // Kysely reads it too
  await pool.query('select pg_cancel_backend($1)', [processID]).catch(() => undefined)
}

async function setOrganization(client: pg.PoolClient, orgId: number): Promise<void> {
  orgOf.delete(client)
  const text = `select set_config('${ORG_SETTING}', $1, false)`
  await client.query({ name: 'org', text, values: [orgId] })
  orgOf.set(client, orgId)
}

/** Noted when it is sent, because the next statement may be sent before the answer. If it fails, the connection is closed. */
async function setMode(client: pg.PoolClient, mode: PlanMode): Promise<void> {
  modeOf.set(client, mode)
  await client.query({
    name: 'mode',
    text: `select set_config('plan_cache_mode', $1, false)`,
    values: [mode],
  })
}

/** A rollback also takes back the mode, and a commit may turn out to be one. Then the mode is unknown. */
async function endTransaction(client: pg.PoolClient, text: string): Promise<pg.QueryResult> {
  const mode = modeOf.get(client)
  if (mode !== undefined) modeOf.set(client, 'unknown')
  const result = await client.query(text)
  if (mode !== undefined && result.command === 'COMMIT') modeOf.set(client, mode)
  return result
}

const CUSTOM_PLAN = '/* custom plan */ '
const FIXED_PLAN = '/* fixed plan */ '

/** Start of a statement whose best plan depends on its values: it is not prepared, so it is planned at each call. */
export const customPlan: RawBuilder<unknown> = sql.raw(CUSTOM_PLAN)

/**
 * Start of a statement with one good plan for all values, or an argument of `modifyFront`. It is planned once per
 * connection, also if the database is opened with `prepared: false`. Without it, PostgreSQL would plan most statements
 * at each call: it guesses that `limit $1` returns a tenth of the rows and `any($1)` has ten elements, so that a plan
 * for the values always looks cheaper.
 *
 * The plan is made for an organization of average size, which is tiny. So the statement must leave no choice: with
 * `id = any($1)`, or a join with `unnest`, it may read every row of a large organization. `cross join lateral (…
 * offset 0)` looks up each value by itself. Must not use `*`: it would fail after a migration has added a column.
 */
export const fixedPlan: RawBuilder<unknown> = sql.raw(FIXED_PLAN)

type PlanMode = 'auto' | 'force_generic_plan'
type Statement = { text: string; mode: PlanMode; name?: string }

const MAX_NAMES = 500
const named = new Map<string, Statement>()
const SELECT = /^\s*(?:\/\*.*?\*\/\s*)?select\b/
const ALL_COLUMNS = /(?:select|returning|[.,])\s*\*/i

/**
 * Gives a statement a name, with which it is prepared once per connection. Statements with `customPlan` get none, those
 * with `fixedPlan` always want one, and the number of names is bounded.
 */
function statement(text: string, prepared: boolean): Statement {
  const known = named.get(text)
  if (known) return prepared || known.mode !== 'auto' ? known : { text, mode: 'auto' }
  const isFixed = text.includes(FIXED_PLAN)
  if (isFixed && ALL_COLUMNS.test(text.replace(FIXED_PLAN, '')))
    throw new Error('a statement with a fixed plan must name its columns')
  const made: Statement = { text, mode: isFixed ? 'force_generic_plan' : 'auto' }
  const isNamed = isFixed || (prepared && !text.startsWith(CUSTOM_PLAN))
  if (!isNamed || named.size >= MAX_NAMES) return made
  made.name = `s${named.size}`
  named.set(text, made)
  return made
}
