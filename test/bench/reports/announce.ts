import { setTimeout as wait } from 'node:timers/promises'
import type { Stack } from '@whereabouts/deploy/local/stack'
import { headersSignedWith } from '@whereabouts/testing/caller'
import type { NatsConnection } from 'nats'
import pg from 'pg'
import { ORG_ID } from './catalog-fill.ts'

const GIVE_UP_MS = 60_000

/**
 * Publishes the states of all locations, as catalog does, because tracking looks up keys and descendants in memory.
 * Resolves when tracking knows the last one. `url` is a login that can read catalog.
 */
export async function announceLocations(stack: Stack, nc: NatsConnection, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ id: string; key: string; state: unknown }>(STATES)
  await client.end()
  for (const { id, state } of rows) nc.publish(`catalog.location.${ORG_ID}.${id}`, JSON.stringify(state))
  await nc.flush()
  const last = rows.at(-1)?.key ?? ''
  for (const until = Date.now() + GIVE_UP_MS; !(await isKnown(stack, last)); await wait(50))
    if (Date.now() > until) throw new Error(`tracking did not know ${last} after a minute`)
}

const STATES = `
  select id, external_key as key, to_jsonb(location) as state from catalog.location
  where org_id = ${ORG_ID} order by external_key`

/** Whether tracking finds assets by the key of this location. */
async function isKnown(stack: Stack, key: string): Promise<boolean> {
  const principal = { kind: 'key' as const, orgId: ORG_ID, scopes: [], keyId: 'bench' }
  const headers = await headersSignedWith(stack.secrets.principal_private_key, principal, 'tracking')
  const response = await fetch(`${stack.urls.api.tracking}/api/v1/locations/current?location=${key}`, {
    headers,
  })
  return ((await response.json()) as { total_count: number }).total_count > 0
}
