import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const TIMEOUT_MS = 300_000

/** apt with a private state below `scratch`: installs nothing, needs no root, takes no lock. */
export type PrivateApt = (args: string[]) => Promise<string>

/**
 * Throws unless this is Debian. `scratch` is an absolute folder; `options` are apt's own, such as a list of sources.
 */
export function privateApt(scratch: string, options: Record<string, string> = {}): PrivateApt {
  if (!/^ID="?debian"?$/m.test(osRelease())) throw new Error('this is not Debian')
  for (const folder of ['lists/partial', 'cache/archives/partial'])
    // apt-get fails without them
    mkdirSync(join(scratch, folder), { recursive: true })
  const all = {
    'Dir::State::lists': join(scratch, 'lists'),
    'Dir::Cache': join(scratch, 'cache'),
    'Debug::NoLocking': 'true',
    'Acquire::Languages': 'none', // no translations
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false', // no application catalogue: a third of the download
    ...options,
  }
  const prefix = ['-q', ...Object.entries(all).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
  return async (args) => {
    const { stdout } = await run('apt-get', [...prefix, ...args], { cwd: scratch, timeout: TIMEOUT_MS })
    return stdout
  }
}

/** Unpacks a package into `root`, which may hold others. */
export async function unpack(file: string, root: string): Promise<void> {
  await run('dpkg', ['-x', file, root], { timeout: TIMEOUT_MS })
}

function osRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8')
  } catch {
    return '' // macOS
  }
}
