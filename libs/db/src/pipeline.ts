import type { Logger } from '@whereabouts/service-kit/logging'
import pg from 'pg'
import { sessionOptions, types } from './database.ts'

export type Pipeline = {
  /** As of a pool. Rejects while the database is away; each statement is a transaction of its own. */
  query<R extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<R>>
  close(): Promise<void>
}

type Options = {
  /** Shown by pg_stat_activity. */
  name: string
  log?: Logger
  /** The server cancels a statement that takes longer. Without any answer for twice as long, a new connection is made. */
  timeoutMs: number
}

/**
 * One connection on which short statements follow each other without waiting for the answers in between: many at a
 * time cost few packets and wake one process. Connects at the first statement, and anew at the first one after a
 * failure. For nothing that may wait for a lock for long: whatever is sent later waits behind it.
 */
export function openPipeline(url: string, { name, log, timeoutMs }: Options): Pipeline {
  let connected: Promise<pg.Client> | undefined

  let gathering: pg.Client | undefined

  /** Holds back what is written until the requests that arrived together have been looked at: one packet for all. */
  function collect(client: pg.Client): void {
    if (gathering === client) return
    gathering = client
    const { stream } = client.connection
    stream.cork()
    setImmediate(() => {
      stream.uncork()
      if (gathering === client) gathering = undefined
    })
  }

  function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: url,
      pipeline: true,
      types,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: 2 * timeoutMs,
      keepAlive: true,
      application_name: name,
      options: sessionOptions(timeoutMs),
    })
    const forget = () => {
      if (connected === connecting) connected = undefined
    }
    const connecting = client.connect().then(() => client)
    connecting.catch(forget)
    client.on('end', forget)
    // Without a listener a connection that breaks would end the process.
    client.on('error', (error) => {
      forget()
      log?.warn({ err: error }, 'database connection lost')
    })
    return connecting
  }

  return {
    async query<R extends pg.QueryResultRow>(statement: pg.QueryConfig) {
      connected ??= connect()
      const client = await connected
      collect(client)
      return client.query<R>(statement)
    },
    async close() {
      const client = await connected?.catch(() => undefined)
      await client?.end()
    },
  }
}
