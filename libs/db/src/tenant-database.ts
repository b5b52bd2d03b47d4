import type { Logger } from '@whereabouts/service-kit/logging'
import {
  Kysely,
  PostgresDialect,
  sql,
  type PostgresPoolClient,
  type RawBuilder,
  type Transaction,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import { loadOf, poolConfig, surviveBreaks, type PoolLoad } from './database.ts'
import { urlAs } from './service-roles.ts'

/**
 * The door through which requests reach tables that belong to organizations. Every statement runs as a role that owns
 * nothing and on a connection that is set to one organization, so the row-level security of the tables
 * (`openToRoles`) hides the rows of all others, whatever the statement forgot to say.
 */
export type TenantDatabase<T> = {
  /** How many connections there are at most. */
  readonly connections: number
  /** How they are used at this moment. */
  load(): PoolLoad
  /** Statements of one organization. Cheap: asked for by each request. */
  forOrg(orgId: number): Kysely<T>
  /** Runs `work` in a transaction of one organization. Not to be nested. */
  transaction<R>(orgId: number, work: (tx: Transaction<T>) => Promise<R>): Promise<R>
  close(): Promise<void>
}

type Options = {
  /** Connections at most. */
  max: number
  /** Shown by pg_stat_activity. */
  name: string
  log?: Logger
  statementTimeoutMs?: number
  /** What the sessions are set to besides, such as how the planner weighs things. */
  settings?: Readonly<Record<string, string>>
  /**
   * Whether statements are parsed and planned once per connection. False where the best plan depends on the values, and
   * where statements say `*`: after a migration has added a column, such a prepared statement fails.
   */
  prepared?: boolean
}

/** Organizations whose Kysely is kept for the next request. */
const MAX_OPENED = 1_000

/** What the policies of the tables compare with. */
export const ORG_SETTING = 'whereabouts.org_id'

/** `url` names the owner of the schema; sessions log in as its `_tenant` (`service-roles.ts`). */
export function openTenantDatabase<T>(
  url: string,
  { log, prepared = true, ...options }: Options,
): TenantDatabase<T> {
  const pool = new pg.Pool({ ...poolConfig(urlAs('tenant', url), options), pipeline: true })
  surviveBreaks(pool, log)
  const toSend = prepared ? statement : (text: string) => ({ text })
  const open = (orgId: number) =>
    new Kysely<T>({
      dialect: new PostgresDialect({
        pool: { connect: () => connectFor(pool, orgId, toSend), end: async () => undefined, options: {} },
      }),
    })
  const opened = new LRUCache<number, Kysely<T>>({ max: MAX_OPENED }) // they hold no connection of their own
  function forOrg(orgId: number): Kysely<T> {
    const known = opened.get(orgId)
    if (known) return known
    const made = open(orgId)
    opened.set(orgId, made)
    return made
  }
  return {
    connections: options.max,
    load: () => loadOf(pool),
    forOrg,
    transaction: (orgId, work) => forOrg(orgId).transaction().execute(work),
    close: () => pool.end(),
  }
}

/** The organization each open connection is set to. */
const orgOf = new WeakMap<pg.PoolClient, number>()

const BEGUN = { command: 'BEGIN', rowCount: null, rows: [] }

/**
 * A connection set to one organization. The setting belongs to the session rather than to a transaction, since a read
 * would otherwise need three statements more (ADR 17); it is renewed whenever the connection changes hands. Neither
 * this nor `begin` is waited for: the first statement follows in the same packet, and its answer is withheld until they
 * are known to have succeeded. Behind a `begin` that is a select, which would have changed nothing by itself.
 */
async function connectFor(
  pool: pg.Pool,
  orgId: number,
  toSend: (text: string) => Statement,
): Promise<PostgresPoolClient> {
  const client = await pool.connect()
  let ahead: Promise<unknown> | undefined
  let isBeginning = false
  let broken = false
  const sendAhead = (sent: Promise<unknown>) => {
    ahead = Promise.all([ahead, sent])
    ahead.catch(() => {
      broken = true
    })
  }
  if (orgOf.get(client) !== orgId) sendAhead(setOrganization(client, orgId))
  const confirmed = async () => {
    await ahead
    ahead = undefined
    isBeginning = false
  }
  const query = async (text: string, parameters: readonly unknown[]) => {
    if (text === 'begin') {
      sendAhead(client.query(text))
      isBeginning = true
      return BEGUN
    }
    if (isBeginning && !/^\s*select\b/.test(text)) await confirmed()
    const answer = client.query({ ...toSend(text), values: [...parameters] })
    if (ahead) await Promise.all([confirmed(), answer])
    return answer
  }
  // Kysely may also ask for a cursor, which a pipelining connection refuses and nothing here does.
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(broken || destroy),
  }
}

async function setOrganization(client: pg.PoolClient, orgId: number): Promise<void> {
  orgOf.delete(client)
  const text = `select set_config('${ORG_SETTING}', $1, false)`
  await client.query({ name: 'org', text, values: [orgId] })
  orgOf.set(client, orgId)
}

const ANEW = '/* planned anew */ '

/** The beginning of a statement whose best plan depends on its values. */
export const plannedAnew: RawBuilder<unknown> = sql.raw(ANEW)

type Statement = { text: string; name?: string }

const MAX_NAMES = 500
const names = new Map<string, string>()
const CONTROL = /^(?:commit|rollback)/

/**
 * Statements are parsed and planned once per connection, but those that say `plannedAnew`, and never more than a
 * bounded number.
 */
function statement(text: string): Statement {
  let name = names.get(text)
  if (name === undefined && names.size < MAX_NAMES && !text.startsWith(ANEW) && !CONTROL.test(text)) {
    name = `s${names.size}`
    names.set(text, name)
  }
  return name === undefined ? { text } : { text, name }
}
