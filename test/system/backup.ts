import { execFile } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { DATABASE_ROLES } from '@whereabouts/deploy/installation/secrets'
import { findPgTools } from '@whereabouts/deploy/workshop/downloads/pg-tools'
import { roleUrl } from '@whereabouts/deploy/installation/services'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { natsDir } from '@whereabouts/deploy/workshop/stack/stack-servers'
import { connect } from 'nats'
import pg from 'pg'
import { runProgram } from './operator.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const DATABASE = 'whereabouts'
const run = promisify(execFile)
const pgTools = () => findPgTools({ cacheDir: join(ROOT, '.cache/pg-tools') })

/** The administrator's address of one database of the server. */
function adminUrl({ urls }: Stack, database: string): string {
  const url = new URL(urls.postgres)
  url.pathname = `/${database}`
  return url.href
}

/** The environment of the deployment's programs, as in docs/backup.md. */
function deploymentEnv(stack: Stack): Record<string, string> {
  const { urls, secrets } = stack
  const wiring = { secrets, postgresUrl: urls.postgres, database: DATABASE }
  const roles = DATABASE_ROLES.map((role) => [`${role.toUpperCase()}_DATABASE_URL`, roleUrl(role, wiring)])
  return {
    ...Object.fromEntries(roles),
    ADMIN_DATABASE_URL: urls.postgres,
    NATS_URL: urls.nats,
    NATS_PASSWORD: secrets.nats.services_password,
  }
}

/** Runs a program of `deploy/`. Throws its output if it fails. */
export async function deploy(stack: Stack, file: string, env: Record<string, string> = {}): Promise<string> {
  const all = { ...deploymentEnv(stack), ...env }
  const { exitCode, stdout, stderr } = await runProgram([join(ROOT, 'deploy', file)], { env: all })
  if (exitCode !== 0) throw new Error(`${file} ended with ${exitCode}:\n${stdout}${stderr}`)
  return stdout
}

/** Writes a backup of the database while services run. */
export async function dump(stack: Stack, file: string): Promise<void> {
  const { pg_dump } = await pgTools()
  await run(pg_dump, ['--format=custom', `--file=${file}`, `--dbname=${adminUrl(stack, DATABASE)}`])
}

/** Restores onto an empty server. The roles come first, because a dump does not contain them. */
export async function restore(stack: Stack, file: string): Promise<void> {
  const { pg_restore } = await pgTools()
  await deploy(stack, 'migrate.ts')
  const options = ['--clean', '--if-exists', '--create', '--exit-on-error']
  await run(pg_restore, [...options, `--dbname=${adminUrl(stack, 'postgres')}`, file])
  await deploy(stack, 'migrate.ts')
}

export async function query<R extends pg.QueryResultRow>(
  stack: Stack,
  text: string,
  database = DATABASE,
): Promise<R[]> {
  const client = new pg.Client({ connectionString: adminUrl(stack, database) })
  await client.connect()
  try {
    return (await client.query<R>(text)).rows
  } finally {
    await client.end()
  }
}

/** Like the loss of the server: removes the database and its roles. */
export async function destroyDatabase(stack: Stack): Promise<void> {
  await query(stack, `drop database ${DATABASE} with (force)`, 'postgres')
  const roles = DATABASE_ROLES.flatMap((role) => [role, `${role}_tenant`, `${role}_worker`])
  await query(stack, `drop role ${roles.join(', ')}`, 'postgres')
}

/** Like the loss of the broker's disk. */
export async function destroyStreams({ broker, dataDir }: Stack): Promise<void> {
  await broker.stop('SIGKILL')
  rmSync(natsDir(dataDir), { recursive: true })
  mkdirSync(natsDir(dataDir))
  await broker.restart()
}

export async function stopServices({ services }: Stack): Promise<void> {
  await Promise.all(Object.values(services).map((service) => service.stop()))
}

export async function startServices({ services }: Stack): Promise<void> {
  for (const service of Object.values(services)) service.start()
  await Promise.all(Object.values(services).map((service) => service.waitReady()))
}

/** A hash of each table's rows for each organization; of tables without one, over all rows. Outboxes are left out. */
export async function contentHashes(stack: Stack): Promise<Map<string, string>> {
  const tables = await query<{ name: string; by_org: boolean }>(
    stack,
    `select c.oid::regclass::text as name,
       exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id') as by_org
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('${DATABASE_ROLES.join("', '")}') and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname not in ('outbox', 'kysely_migration', 'kysely_migration_lock')`,
  )
  const hashes = new Map<string, string>()
  for (const { name, by_org: byOrg } of tables) {
    const rows = await query<{ org: string; hash: string }>(
      stack,
      `select ${byOrg ? 'org_id' : "'all'"}::text as org, md5(string_agg(t::text, ';' order by t::text)) as hash
       from ${name} t group by 1`,
    )
    for (const { org, hash } of rows) hashes.set(`${name} ${org}`, hash)
  }
  return hashes
}

/** The subjects of a compacted stream, sorted: one for each resource. */
export async function subjectsOf({ urls, secrets }: Stack, stream: string): Promise<string[]> {
  const nc = await connect({ servers: urls.nats, user: 'services', pass: secrets.nats.services_password })
  const jsm = await nc.jetstreamManager()
  const { state } = await jsm.streams.info(stream, { subjects_filter: '>' })
  await nc.close()
  return Object.keys(state.subjects ?? {}).toSorted()
}

/** The subjects that these streams should have, derived from the tables. */
export async function subjectsInDatabase(stack: Stack): Promise<{ catalog: string[]; keys: string[] }> {
  const list = async (text: string) => (await query<{ subject: string }>(stack, text)).map((row) => row.subject).toSorted() // oxfmt-ignore
  const things = ['asset', 'location', 'tag'].map(
    (kind) => `select format('catalog.${kind}.%s.%s', org_id, id) as subject from catalog.${kind}`,
  )
  return {
    catalog: await list(things.join(' union all ')),
    keys: await list(`
      select format('keys.org.%s', id) as subject from keys.org
      union all select format('keys.key.%s', jti) from keys.api_key
      union all select format('keys.member.%s.%s', org_id, user_id) from keys.membership`),
  }
}
