import { createHash } from 'node:crypto'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { keyIdOf } from '../ingest/warehouse.ts'
import { asOwner } from '../load/database.ts'

/** The secret of every key. */
export const KEY_SECRET = 'flood'

/** Stores an organization with reader keys, as the service keys does. */
export const createReaderKeys = (stack: Stack, org: number, keys: number): Promise<void> =>
  asOwner(stack, 'keys', async (client) => {
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
  asOwner(stack, 'keys', async (client) => void (await client.query('delete from reader_suspension')))
