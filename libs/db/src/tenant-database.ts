import type { Logger } from '@whereabouts/service-kit/logging'
import {
  Kysely,
  PostgresDialect,
  sql,
  type PostgresPoolClient,
  type RawBuilder,
  type Transaction,
} from 'kysely'
import pg from 'pg'
import { poolConfig } from './database.ts'

/**
 * The door through which requests reach tables that belong to organizations. Every statement runs as a role that owns
 * nothing and on a connection that is set to one organization, so the row-level security of the tables
 * (`protectByOrganization`) hides the rows of all others, whatever the statement says or forgot to say.
 */
export type TenantDatabase<T> = {
  /** How many connections there are at most. */
  readonly connections: number
  /** Statements of one organization. Cheap: made for each request. */
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
}

/** What the policies of the tables compare with. */
export const ORG_SETTING = 'whereabouts.org_id'

/** `url` names the owner of the schema; sessions become its `_tenant` (deploy/database/roles.sql). */
export function openTenantDatabase<T>(url: string, { log, ...options }: Options): TenantDatabase<T> {
  const config = poolConfig(url, options)
  const role = `${new URL(url).username}_tenant`
  const pool = new pg.Pool({ ...config, pipeline: true, options: `${config.options} -c role=${role}` })
  // Without a listener an idle connection that breaks would end the process.
  pool.on('error', (error) => log?.warn({ err: error }, 'idle database connection lost'))
  const forOrg = (orgId: number) =>
    new Kysely<T>({
      dialect: new PostgresDialect({
        pool: { connect: () => connectFor(pool, orgId), end: async () => undefined, options: {} },
      }),
    })
  return {
    connections: options.max,
    forOrg,
    transaction: (orgId, work) => forOrg(orgId).transaction().execute(work),
    close: () => pool.end(),
  }
}

/** The organization each open connection is set to. */
const orgOf = new WeakMap<pg.PoolClient, number>()

/**
 * A connection set to one organization. The setting belongs to the session rather than to a transaction, since a read
 * would otherwise need three statements more (ADR 17); it is renewed whenever the connection changes hands, in the
 * same packet as the first statement, whose answer is withheld until the setting is known to have succeeded.
 */
async function connectFor(pool: pg.Pool, orgId: number): Promise<PostgresPoolClient> {
  const client = await pool.connect()
  let setting: Promise<unknown> | undefined
  let broken = false
  if (orgOf.get(client) !== orgId) {
    orgOf.delete(client)
    setting = client
      .query({ name: 'org', text: `select set_config('${ORG_SETTING}', $1, false)`, values: [orgId] })
      .then(
        () => orgOf.set(client, orgId),
        (error: unknown) => {
          broken = true
          throw error
        },
      )
  }
  const query = async (text: string, parameters: readonly unknown[]) => {
    const answer = client.query({ ...statement(text), values: [...parameters] })
    if (setting) await Promise.all([setting, answer])
    return answer
  }
  // Kysely may also ask for a cursor, which a pipelining connection refuses and nothing here does.
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(broken || destroy),
  }
}

const ANEW = '/* planned anew */ '

/** The beginning of a statement whose best plan depends on its values. */
export const plannedAnew: RawBuilder<unknown> = sql.raw(ANEW)

const MAX_NAMES = 500
const names = new Map<string, string>()
const CONTROL = /^(?:begin|commit|rollback)/

/**
 * Statements are parsed and planned once per connection, but those that say `plannedAnew`, and never more than a
 * bounded number.
 */
function statement(text: string): { text: string; name?: string } {
  let name = names.get(text)
  if (name === undefined && names.size < MAX_NAMES && !text.startsWith(ANEW) && !CONTROL.test(text)) {
    name = `s${names.size}`
    names.set(text, name)
  }
  return name === undefined ? { text } : { text, name }
}
