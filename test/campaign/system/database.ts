import pg from 'pg'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'

/** For a statement on a database that is being disturbed. */
const TIMEOUT_MS = 60_000

/** Runs `work` on a connection of its own, past all links. */
export async function withDatabase<T>({ urls }: Stack, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(urls.postgres)
  url.pathname = '/whereabouts'
  const client = new pg.Client({
    connectionString: url.href,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  client.on('error', () => undefined) // the statement that is running, or the next one, fails too
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined) // it is closed already if the server is
  }
}
