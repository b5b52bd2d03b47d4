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
  const statements = rolesOf(schemas).map(
    (role) => `alter role ${escapeIdentifier(role)} connection limit ${limit}`,
  )
  await client.query(statements.join('; ')) // in one transaction
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

type Session = {
  pid: number
  usename: string | null
  backend_type: string
  state: string | null
  is_here: boolean
}

/** The pids of sessions of these roles, and of those that are about to begin and may have been let in a moment ago. */
async function sessionsOf(client: Client, roles: readonly string[]) {
  // First: a session that has begun is in the list that is read second.
  const starting = await ask<{ pid: number }>(
    client,
    `select pid from pg_locks where locktype = 'virtualxid' and pid <> pg_backend_pid()`,
  )
  const all = await ask<Session>(
    client,
    'select pid, usename, backend_type, state, datname = current_database() as is_here from pg_stat_activity',
  )
  const known = new Map(all.map((session) => [session.pid, session]))
  const isUnnamed = (pid: number) => {
    const session = known.get(pid)
    return !session || (session.usename === null && session.backend_type === 'client backend')
  }
  return {
    named: all.filter(({ usename, is_here }) => is_here && usename !== null && roles.includes(usename)),
    unnamed: starting.filter(({ pid }) => isUnnamed(pid)).length,
  }
}

/**
 * Ends all sessions of services at a closed server: idle ones at once, so that few statements fail, and the others once they are idle
 * or after two seconds. Resolves when there is none and none can begin.
 */
export async function endSessions(client: Client, schemas: readonly string[]): Promise<void> {
  const roles = rolesOf(schemas)
  const begun = Date.now()
  for (;;) {
    const isPolite = Date.now() - begun < POLITE_MS
    const { named, unnamed } = await sessionsOf(client, roles)
    if (named.length + unnamed === 0) return
    const ending = named.filter(({ state }) => state === 'idle' || !isPolite).map(({ pid }) => pid)
    await client.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [ending])
    await delay(LOOK_MS)
  }
}
