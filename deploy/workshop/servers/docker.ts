import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { imageOf, referenceOf } from '../../images.ts'

const run = promisify(execFile)
const PULL_MS = 300_000

/** Whether a Docker daemon answers. An installed client is not enough. */
export async function isDockerAnswering(): Promise<boolean> {
  try {
    const { stdout } = await run('docker', ['info', '--format', '{{.ServerVersion}}'], { timeout: 5_000 })
    return stdout.trim() !== ''
  } catch {
    return false // no client, no daemon, or no permission to ask it
  }
}

/** A throwaway PostgreSQL in a container with the settings of the embedded one: same locale, no fsync. */
export async function startPostgresContainer(
  password: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  // Imported on demand: that takes longer than starting the embedded servers.
  const { GenericContainer, Wait } = await import('testcontainers')
  const container = await new GenericContainer(referenceOf(imageOf('postgres')))
    .withEnvironment({
      POSTGRES_PASSWORD: password,
      POSTGRES_INITDB_ARGS: '--locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 --encoding=UTF8',
    })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=300'])
    .withTmpFs({ '/var/lib/postgresql': 'rw' })
    .withExposedPorts(5432)
    // Twice: the image starts the server once for its setup.
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
