import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDockerAnswering, startPostgresContainer } from './servers/docker.ts'
import { findNatsServer } from './servers/nats-binary.ts'
import { startPostgres } from './servers/postgres.ts'
import { processCommand } from './servers/process-record.ts'
import { ROOT } from './services.ts'

export type TestServers = {
  /** For the environment of the tests. */
  variables: {
    /** Superuser of a server for throwaway databases. */
    WB_TEST_DATABASE_URL: string
    /** Path of nats-server; tests start their own brokers. */
    WB_TEST_NATS_BIN: string
  }
  stop: () => Promise<void>
}

type Database = { url: string; stop: () => Promise<void> }

const HOME_PREFIX = 'whereabouts-test-'

/** PostgreSQL and nats-server for a test run. PostgreSQL is the given one, else a container, else embedded. */
export async function startTestServers(
  env: NodeJS.ProcessEnv,
  onNote: (note: string) => void,
): Promise<TestServers> {
  const [database, broker] = await Promise.allSettled([
    startTestDatabase(env['DATABASE_URL'], onNote),
    findNatsServer({ cacheDir: join(ROOT, '.cache/nats-server'), onNote }),
  ])
  if (database.status === 'rejected') throw database.reason
  if (broker.status === 'rejected') {
    await database.value.stop()
    throw broker.reason
  }
  const { url, stop } = database.value
  return { variables: { WB_TEST_DATABASE_URL: url, WB_TEST_NATS_BIN: broker.value }, stop }
}

async function startTestDatabase(
  given: string | undefined,
  onNote: (note: string) => void,
): Promise<Database> {
  if (given) {
    onNote('PostgreSQL: the one of DATABASE_URL')
    return { url: given, stop: async () => {} }
  }
  const password = `p${randomBytes(12).toString('hex')}`
  if (await isDockerAnswering()) {
    onNote('PostgreSQL: in a container')
    return startPostgresContainer(password)
  }
  onNote('PostgreSQL: embedded')
  return startEmbedded(password, onNote)
}

async function startEmbedded(password: string, onNote: (note: string) => void): Promise<Database> {
  removeAbandoned()
  const home = mkdtempSync(join(tmpdir(), `${HOME_PREFIX}${process.pid}-`))
  chmodSync(home, 0o755) // under root, PostgreSQL runs as another user, which must enter
  const server = await startPostgres({ dataDir: join(home, 'postgres'), password, durable: false, onNote })
  return {
    url: server.url(),
    async stop() {
      await server.stop()
      for (const folder of [server.folder, home]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Removes the folders of killed runs. Their guards stopped the servers. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(HOME_PREFIX))) {
    const pid = Number(name.slice(HOME_PREFIX.length).split('-')[0])
    if (processCommand(pid) === undefined) removeIfOurs(join(tmpdir(), name))
  }
}

function removeIfOurs(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // It belongs to another user.
  }
}
