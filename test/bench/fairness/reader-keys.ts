import { createHash } from 'node:crypto'
import { databaseUrl } from '@whereabouts/deploy/database/roles'
import type { Stack } from '@whereabouts/deploy/local/stack'
import pg from 'pg'
import { keyIdOf } from '../ingest/warehouse.ts'

/** The secret of every key. */
export const KEY_SECRET = 'flood'

/** Stores an organization with reader keys, as the service keys does. */
export const createReaderKeys = (stack: Stack, org: number, keys: number): Promise<void> =>
  inKeys(stack, async (client) => {
    await client.query(`insert into org (id, name) values ($1, 'Flood')`, [org])
    const hash = createHash('sha256').update(KEY_SECRET).digest()
    for (let n = 1; n <= keys; n += 1)
      await client.query(
        `insert into api_key (org_id, id, jti, name, scopes, secret_hash) values ($1, $2, $3, 'bench', '{scans:write}', $4)`,
        [org, org * 1_000 + n, keyIdOf(org, n), hash],
      )
  })

/** Lets a flood start again after suspensions of its keys. */
export const endSuspensions = (stack: Stack): Promise<void> =>
  inKeys(stack, async (client) => void (await client.query('delete from reader_suspension')))

async function inKeys({ urls, secrets }: Stack, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const role = { name: 'keys', password: secrets.database_passwords.keys }
  const client = new pg.Client({ connectionString: databaseUrl(urls.postgres, 'whereabouts', role) })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
