import type { Logger } from '@whereabouts/service-kit/observe/logging'
import pg from 'pg'
import { sessionOptions, types } from '../connect/database.ts'
import { loginOf } from '../connect/login.ts'

export type Pipeline = {
  /** Like `query` of a pool. Rejects while the database is unreachable. Each statement is a separate transaction. */
  query<R extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<R>>
  close(): Promise<void>
}

type Options = {
  /** Shown by pg_stat_activity. */
  name: string
  log?: Logger
  /**
   * The server cancels a statement that takes longer. After twice this time without an answer, the connection is
   * replaced.
   */
  timeoutMs: number
}

/**
 * One connection on which short statements are sent without waiting for answers in between: many simultaneous
 * statements cost few packets and wake one server process. Connects at the first statement, and again at the first
 * one after a failure. Not for statements that may wait long for a lock: all later statements wait behind them.
 */
export function openPipeline(url: string, { name, log, timeoutMs }: Options): Pipeline {
  let connected: Promise<pg.Client> | undefined

  let corked: pg.Client | undefined

  /** Delays writes until the end of this turn of the event loop, so that simultaneous statements share a packet. */
  function cork(client: pg.Client): void {
    if (corked === client) return
    corked = client
    const { stream } = client.connection
    stream.cork()
    setImmediate(() => {
      stream.uncork()
      if (corked === client) corked = undefined
    })
  }

  const { Client = pg.Client, ...login } = loginOf(url, log)

  async function connectOnce(onEnd: () => void): Promise<pg.Client> {
    const client = new Client({
      ...login,
      pipeline: true,
      types,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: 2 * timeoutMs,
      keepAlive: true,
      application_name: name,
      options: sessionOptions(timeoutMs),
    })
    // Without this listener a connection that breaks would end the process.
    client.on('error', (error) => log?.warn({ err: error }, 'database connection lost'))
    await client.connect()
    client.on('end', onEnd)
    client.on('error', onEnd)
    return client
  }

  function connect(): Promise<pg.Client> {
    const disconnected = () => {
      if (connected === connecting) connected = undefined
    }
    const connecting = connectOnce(disconnected)
    connecting.catch(disconnected)
    return connecting
  }

  return {
    async query<R extends pg.QueryResultRow>(statement: pg.QueryConfig) {
      connected ??= connect()
      const client = await connected
      cork(client)
      return client.query<R>(statement)
    },
    async close() {
      const client = await connected?.catch(() => undefined)
      await client?.end()
    },
  }
}
