import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BROKER_RELEASE } from '@whereabouts/messaging/broker-version'
import { GO_MODULE_SUM } from './nats-pins.ts'

const run = promisify(execFile)
const MODULE = `github.com/nats-io/nats-server/v2@v${BROKER_RELEASE}`
const TIMEOUT_MS = 600_000

/** The user's settings for the module cache and proxy only. */
const goEnvironment = () => ({
  ...process.env,
  GOFLAGS: '-mod=readonly',
  GOTOOLCHAIN: 'local', // another toolchain would be an unpinned download
  GOWORK: 'off',
  CGO_ENABLED: '0',
})

/**
 * Builds nats-server with the `go` on PATH (about a minute) from source with the pinned hash. Builds a copy of the
 * module instead of `go install`, so that the module's go.sum applies to all dependencies.
 */
export async function buildWithGo(scratch: string): Promise<string> {
  const go = (args: string[], cwd: string) =>
    run('go', args, { cwd, env: goEnvironment(), timeout: TIMEOUT_MS })
  const { stdout } = await go(['mod', 'download', '-json', MODULE], scratch)
  const { Dir: folder, Sum: sum } = JSON.parse(stdout) as { Dir: string; Sum: string }
  assertModule(sum)
  const source = join(scratch, 'source')
  cpSync(folder, source, { recursive: true })
  const binary = join(scratch, 'nats-server')
  await go(['build', '-trimpath', '-o', binary, '.'], source)
  return binary
}

/** Throws unless the module that Go downloaded is the pinned one. */
export function assertModule(sum: string): void {
  if (sum !== GO_MODULE_SUM) throw new Error(`${MODULE} has the hash ${sum}; ${GO_MODULE_SUM} is pinned`)
}
