import type { Stack } from '@whereabouts/deploy/local/stack'
import pg from 'pg'

/** Runs `work` on the database of the product as an administrator, who sees the tables of all organizations. */
export async function asAdministrator<T>(stack: Stack, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(stack.urls.postgres)
  url.pathname = '/whereabouts'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
