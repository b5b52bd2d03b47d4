import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { BROKER_RELEASE } from '@whereabouts/messaging/broker-version'
import { assertPinned } from './checksum.ts'
import { archiveName, RELEASE_ARCHIVES } from './nats-pins.ts'

const run = promisify(execFile)
const RELEASE = `https://github.com/nats-io/nats-server/releases/download/v${BROKER_RELEASE}`
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Downloads the official archive into `scratch`, checks its pinned hash and unpacks it. */
export async function downloadRelease(scratch: string): Promise<string> {
  const name = archiveName(process.platform, ARCHITECTURES[process.arch] ?? process.arch)
  if (RELEASE_ARCHIVES[name] === undefined) throw new Error(`no hash is pinned for ${name}`)
  const archive = join(scratch, name)
  writeFileSync(archive, await download(name))
  assertPinned(archive, RELEASE_ARCHIVES)
  await run('tar', ['-xzf', name], { cwd: scratch })
  return join(scratch, basename(name, '.tar.gz'), 'nats-server')
}

async function download(file: string): Promise<Buffer> {
  const response = await fetch(`${RELEASE}/${file}`, { signal: AbortSignal.timeout(180_000) })
  if (!response.ok) throw new Error(`${RELEASE}/${file} answered ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}
