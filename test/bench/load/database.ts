import { databaseUrl } from '@whereabouts/deploy/database/roles'
import type { DatabaseRole } from '@whereabouts/deploy/installation/secrets'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import pg from 'pg'

type Work<T> = (client: pg.Client) => Promise<T>

/** Runs `work` on the database of the product as an administrator, who sees the tables of all organizations. */
export function asAdministrator<T>(stack: Stack, work: Work<T>): Promise<T> {
  const url = new URL(stack.urls.postgres)
  url.pathname = '/whereabouts'
  return withClient(url.href, work)
}

/** Runs `work` as the owner of the tables of a service. */
export const asOwner = <T>({ urls, secrets }: Stack, name: DatabaseRole, work: Work<T>): Promise<T> =>
  withClient(
    databaseUrl(urls.postgres, 'whereabouts', { name, password: secrets.database_passwords[name] }),
    work,
  )

async function withClient<T>(connectionString: string, work: Work<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
