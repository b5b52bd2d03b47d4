import {
  AbortedTransactionError,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
} from 'kysely'
import type { QueryResult as Answer, QueryResultRow } from 'pg'

/** A connection for one statement or transaction of one organization. */
export type TenantConnection = {
  query(text: string, parameters: readonly unknown[]): Promise<Answer>
  /** Not waited for: the first statement follows at once. */
  begin(): void
  end(how: 'commit' | 'rollback'): Promise<Answer>
  /** `destroy`: the pool must not use it again. */
  release(destroy: boolean): void
}

/**
 * Kysely on such connections. Not its `PostgresDialect`, which keeps a weak reference to each connection: one per
 * statement here, which took a sixth of the processor time of a short statement, mostly in garbage collections.
 */
export const tenantDialect = (connect: () => Promise<TenantConnection>): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createDriver: () => driver(connect),
})

const driver = (connect: () => Promise<TenantConnection>) => ({
  init: nothing,
  destroy: nothing,
  acquireConnection: async () => new Connection(await connect()),
  async beginTransaction({ session }: Connection) {
    session.begin()
  },
  async commitTransaction({ session }: Connection) {
    const { command } = await session.end('commit')
    if (command === 'ROLLBACK') throw new AbortedTransactionError()
  },
  async rollbackTransaction(connection: Connection) {
    connection.isBroken = true
    await connection.session.end('rollback')
    connection.isBroken = false
  },
  async releaseConnection({ session, isBroken }: Connection) {
    session.release(isBroken)
  },
})

const nothing = async () => undefined

class Connection implements DatabaseConnection {
  readonly session: TenantConnection
  /** Whether a transaction may still be open. */
  isBroken = false

  constructor(session: TenantConnection) {
    this.session = session
  }

  async executeQuery<R>({
    sql,
    parameters,
  }: {
    sql: string
    parameters: readonly unknown[]
  }): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.session.query(sql, parameters)
    const isChange = command !== 'SELECT' && rowCount !== null
    return { rows: rows as (R & QueryResultRow)[], ...(isChange && { numAffectedRows: BigInt(rowCount) }) }
  }

  /** A connection that pipelines refuses cursors. */
  streamQuery(): never {
    throw new Error('organizations have no cursors')
  }
}
