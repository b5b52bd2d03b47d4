import { setTimeout as delay } from 'node:timers/promises'
import { escapeIdentifier, type Client } from 'pg'
import { ask } from './sides.ts'

/** So long, statements and transactions of services may still end by themselves. */
const POLITE_MS = 2_000
const LOOK_MS = 20

/** The roles that processes of a service log in as, and the owner of its schema. */
const rolesOf = (schemas: readonly string[]) =>
  schemas.flatMap((schema) => [schema, `${schema}_tenant`, `${schema}_worker`])

async function setLimit(client: Client, schemas: readonly string[], limit: number): Promise<void> {
  for (const role of rolesOf(schemas))
    await client.query(`alter role ${escapeIdentifier(role)} connection limit ${limit}`)
}

/**
 * Lets no service log in. Unlike `nologin`, the limit survives a run of deploy/migrate.ts. What is connected stays: see
 * `endSessions`.
 */
export const close = (client: Client, schemas: readonly string[]): Promise<void> =>
  setLimit(client, schemas, 0)

export const open = (client: Client, schemas: readonly string[]): Promise<void> =>
  setLimit(client, schemas, -1)

/** Whether services may log in. */
export async function isOpen(client: Client, schemas: readonly string[]): Promise<boolean> {
  const text = 'select 1 from pg_roles where rolname = any($1) and rolconnlimit <> 0'
  return (await ask(client, text, [rolesOf(schemas)])).length > 0
}

const SESSIONS = `from pg_stat_activity where datname = current_database() and usename = any($1)`

/** How many sessions each schema has. */
export async function countSessions(
  client: Client,
  schemas: readonly string[],
): Promise<Record<string, number>> {
  const text = `select split_part(usename, '_', 1) as schema, count(*)::int as count ${SESSIONS} group by 1`
  const rows = await ask<{ schema: string; count: number }>(client, text, [rolesOf(schemas)])
  return Object.fromEntries(rows.map(({ schema, count }) => [schema, count]))
}

/**
 * Ends all sessions of services: idle ones at once, so that few statements fail, and the others once they are idle or after two
 * seconds.
 */
export async function endSessions(client: Client, schemas: readonly string[]): Promise<void> {
  const roles = rolesOf(schemas)
  const begun = Date.now()
  for (;;) {
    const isPolite = Date.now() - begun < POLITE_MS
    const which = isPolite ? `and state = 'idle'` : ''
    await client.query(`select pg_terminate_backend(pid) ${SESSIONS} ${which}`, [roles])
    if ((await ask(client, `select 1 ${SESSIONS}`, [roles])).length === 0) return
    await delay(LOOK_MS)
  }
}
