import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
const TIMEOUT_MS = 180_000

/**
 * Downloads Debian's nats-server into `scratch` (an empty absolute folder) and unpacks it there. apt works on a private
 * state, so nothing is installed, no root is needed, and the signatures are checked with Debian's own keys.
 */
export async function unpackDebianPackage(scratch: string, release: 'trixie' | 'sid'): Promise<string> {
  if (!/^ID="?debian"?$/m.test(osRelease())) throw new Error('this is not Debian')
  const mirror = await configuredMirror()
  mkdirSync(join(scratch, 'lists/partial'), { recursive: true }) // apt-get update fails without it
  writeFileSync(join(scratch, 'sources.list'), `deb [signed-by=${KEYRING}] ${mirror} ${release} main\n`)
  const options = privateState(scratch)
  await run('apt-get', [...options, 'update'], { timeout: TIMEOUT_MS })
  await run('apt-get', [...options, 'download', 'nats-server'], { cwd: scratch, timeout: TIMEOUT_MS })
  const file = readdirSync(scratch).find((name) => name.endsWith('.deb'))
  if (file === undefined) throw new Error('apt-get downloaded nothing')
  await run('dpkg', ['-x', join(scratch, file), join(scratch, 'root')])
  return join(scratch, 'root/usr/sbin/nats-server')
}

function osRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8')
  } catch {
    return '' // macOS
  }
}

/** The mirror that this machine uses already: behind a firewall, it may be the only one that answers. */
async function configuredMirror(): Promise<string> {
  // Without --no-release-info, nothing is printed on images whose package lists were removed.
  const format = ['--no-release-info', '--format', '$(RELEASE) $(REPO_URI)', 'Created-By: Packages']
  const { stdout } = await run('apt-get', ['indextargets', ...format])
  // A release with a dash is one of updates or security, which is not served from the same place.
  const line = stdout.split('\n').find((candidate) => /^[^\s-]+ \S/.test(candidate))
  if (line === undefined) throw new Error('apt knows no mirror')
  return line.split(' ')[1]!
}

function privateState(scratch: string): string[] {
  const options = {
    'Dir::Etc::sourcelist': join(scratch, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
    'Dir::State::lists': join(scratch, 'lists'),
    'Dir::Cache': join(scratch, 'cache'),
    'Acquire::Languages': 'none', // no translations
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false', // no application catalogue: a third of the download
  }
  return ['-q', ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
}
