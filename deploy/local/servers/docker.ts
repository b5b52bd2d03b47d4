import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { imageOf, referenceOf } from '../../images.ts'

const run = promisify(execFile)
const PULL_MS = 300_000

/** Whether a Docker daemon answers; an installed `docker` client proves nothing. */
export async function isDockerAnswering(): Promise<boolean> {
  try {
    const { stdout } = await run('docker', ['info', '--format', '{{.ServerVersion}}'], { timeout: 5_000 })
    return stdout.trim() !== ''
  } catch {
    return false // no client, no daemon, or no permission to ask it
  }
}

/** A throwaway PostgreSQL in a container, set up as the embedded one is: same locale, nothing forced to disk. */
export async function startPostgresContainer(
  password: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  // Loaded when needed: it takes longer than the embedded servers take to start.
  const { GenericContainer, Wait } = await import('testcontainers')
  const container = await new GenericContainer(referenceOf(imageOf('postgres')))
    .withEnvironment({
      POSTGRES_PASSWORD: password,
      POSTGRES_INITDB_ARGS: '--locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 --encoding=UTF8',
    })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=300'])
    .withTmpFs({ '/var/lib/postgresql': 'rw' })
    .withExposedPorts(5432)
    // Twice: the image starts the server once to set it up, and then for good.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .withStartupTimeout(PULL_MS)
    .start()
  const address = `${container.getHost()}:${container.getMappedPort(5432)}`
  return {
    url: `postgresql://postgres:${password}@${address}/postgres`,
    async stop() {
      await container.stop()
    },
  }
}
