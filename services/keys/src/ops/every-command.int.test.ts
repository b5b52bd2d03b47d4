import { sql } from 'kysely'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { AuditEntry } from '@whereabouts/contracts/messages/audit'
import { describe, expect } from 'vitest'
import { ELSEWHERE, test, type Key, type Keys, type Org } from '../../test/keys.fixture.ts'
import { switchOn } from '../../test/second-factor.fixture.ts'
import { createSigningKeys } from '../credentials/tokens/signing-keys.ts'
import { linkSubject } from '../people/single-sign-on/sign-on.queries.ts'
import { readArguments } from './arguments/arguments.ts'
import type { Request } from './arguments/request.ts'
import { EXAMPLES } from './arguments/examples.ts'
import { perform } from './perform.ts'

type Scene = Org & { key: Key }
type Command = {
  line: (scene: Scene) => string
  /** Actions in the audit, for a command that writes. */
  audit?: string[]
}

/** Every command, so that a new one is not compiled without a row. */
const COMMANDS: Record<Request['command'], Command> = {
  'org create': {
    line: () => `org create --name Acme --admin-email ${randomUUID()}@example.com --admin-name Ada`,
    audit: ['org.create', 'member.create'],
  },
  'org add-admin': {
    line: ({ orgId }) => `org add-admin ${orgId} ${randomUUID()}@example.com`,
    audit: ['invitation.create'],
  },
  'org list': { line: () => 'org list' },
  'org limit': { line: ({ orgId }) => `org limit ${orgId} assets 500`, audit: ['org.update'] },
  'org usage': { line: ({ orgId }) => `org usage ${orgId}` },
  'org subscription': {
    line: ({ orgId }) => `org subscription ${orgId} --ends-at 2999-01-01T00:00:00Z`,
    audit: ['org.update'],
  },
  'org timezone': { line: ({ orgId }) => `org timezone ${orgId} Asia/Tokyo`, audit: ['org.update'] },
  'org delete': { line: ({ orgId }) => `org delete ${orgId} --yes`, audit: ['org.delete', 'api_key.delete'] },
  'user reset-link': { line: ({ email }) => `user reset-link ${email}`, audit: ['reset_link.create'] },
  'user codes-off': { line: ({ email }) => `user codes-off ${email}`, audit: ['second_factor.delete'] },
  'user sign-on-link': {
    line: ({ email }) => `user sign-on-link ${email} s-2 --issuer https://other.example`,
    audit: ['user.update'],
  },
  'user sign-on-unlink': { line: ({ email }) => `user sign-on-unlink ${email}`, audit: ['user.update'] },
  'key list': { line: ({ orgId }) => `key list --org ${orgId} --all` },
  'key limit': { line: ({ key }) => `key limit ${key.id} --per-minute 600`, audit: ['api_key.update'] },
  'key message-rate': {
    line: ({ key }) => `key message-rate ${key.jti} --per-second 500`,
    audit: ['api_key.update'],
  },
  'key revoke': { line: ({ key }) => `key revoke ${key.id}`, audit: ['api_key.delete'] },
  'signing-keys list': { line: () => 'signing-keys list' },
  'signing-keys rotate': { line: () => 'signing-keys rotate' },
  'broker reload': { line: () => 'broker reload' },
}

/** An administrator with one-time codes and single sign-on, a key, and signing keys that can be rotated. */
async function scene(keys: Keys): Promise<Scene> {
  const org = await keys.signUp()
  await switchOn(keys, org)
  const { db, pool } = keys.database
  await db
    .transaction()
    .execute((tx) => linkSubject(tx, 'https://provider.example', randomUUID(), org.userId))
  await db.deleteFrom('signing_key').execute()
  await createSigningKeys({ db, secret: keys.secret, now: Date.now }).active()
  await pool.query(`update signing_key set created_at = created_at - interval '11 minutes'`)
  return { ...org, key: await keys.createKey(org) }
}

/** What the command prints with --json. */
async function run(keys: Keys, line: string): Promise<string[]> {
  const reading = readArguments([...line.split(' '), '--json'])
  if (!('request' in reading)) throw new Error(JSON.stringify(reading))
  const printed: string[] = []
  await perform(reading.request, {
    db: keys.database.db,
    signingKeySecret: () => keys.secret,
    readPassword: async () => 'correct horse',
    publishTimeoutMs: 0,
    usageElsewhere: async () => ELSEWHERE,
    reloadBrokers: async () => [{ name: 'nats-0', problem: undefined }],
    publicUrl: undefined,
    issuer: undefined,
    print: (printedText) => printed.push(printedText),
  })
  return printed
}

async function auditSince(keys: Keys, last: number): Promise<AuditEntry[]> {
  const rows = await keys.database.db
    .selectFrom('outbox')
    .select('payload')
    .where('id', '>', last)
    .where('subject', 'like', 'audit.%')
    .orderBy('id')
    .execute()
  return rows.map(({ payload }) => payload as AuditEntry)
}

async function lastRow(keys: Keys): Promise<number> {
  const { rows } = await sql<{ id: number }>`select coalesce(max(id), 0) as id from outbox`.execute(
    keys.database.db,
  )
  return rows[0]?.id ?? 0
}

/** What the tables have, by name. Signing keys belong to no organization, whose audit could tell of them. */
async function contents({ database: { db } }: Keys): Promise<Record<string, string>> {
  const tables = await db.introspection.getTables()
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    if (name === 'signing_key') continue
    const { rows } = await sql<{ sum: string }>`
      select coalesce(sum(hashtextextended(t::text, 0)), 0)::text as sum from ${sql.table(name)} t`.execute(
      db,
    )
    found[name] = rows[0]?.sum ?? ''
  }
  return found
}

describe('every command', () => {
  test.for(Object.entries(COMMANDS))(
    '%s prints one JSON document, and writes nothing without an entry of the operator in the audit',
    async ([name, { line, audit = [] }], { keys }) => {
      const command = line(await scene(keys))
      expect(command.startsWith(name)).toBe(true)
      const [before, last] = [await contents(keys), await lastRow(keys)]
      const printed = await run(keys, command)
      expect(printed).toHaveLength(1)
      expect(JSON.parse(printed[0] ?? '')).toBeTypeOf('object')
      const entries = await auditSince(keys, last)
      expect(entries.map(({ action }) => action)).toEqual(audit)
      for (const { actor } of entries) expect(actor).toEqual({ type: 'operator', id: null })
      if (audit.length === 0) expect(await contents(keys)).toEqual(before)
      else expect(await contents(keys)).not.toEqual(before)
    },
  )

  const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
  test.for(Object.entries(EXAMPLES))(
    '%s reports a failure as one JSON document on standard error',
    async ([, example]) => {
      const args = [...example.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
      const child = spawn(process.execPath, [MAIN, ...args, '--json'], {
        env: {},
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const exit = new Promise((resolve) => child.on('close', resolve))
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
      expect([await exit, stdout]).toEqual([78, ''])
      expect(JSON.parse(stderr)).toMatchObject({
        error: { type: 'configuration', message: expect.stringContaining('DATABASE_URL') },
      })
    },
  )
})
