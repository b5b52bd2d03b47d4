import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRunFolder } from './run-folder.ts'
import { isDockerAnswering, startPostgresContainer } from '../servers/docker.ts'
import { findNatsServer } from '../downloads/nats-binary.ts'
import { startPostgres } from '../servers/postgres.ts'
import { ROOT } from '../../installation/services.ts'

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
  const home = createRunFolder(tmpdir(), HOME_PREFIX)
  const server = await startPostgres({ dataDir: join(home, 'postgres'), password, durable: false, onNote })
  return {
    url: server.url(),
    async stop() {
      await server.stop()
      for (const folder of [server.folder, home]) rmSync(folder, { recursive: true, force: true })
    },
  }
}
