import { execFile } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { privateApt, unpack } from './debian-apt.ts'

const run = promisify(execFile)
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * Downloads Debian's nats-server into `scratch` (an empty absolute folder) and unpacks it there. The release may be
 * another than this machine's; signatures are checked with Debian's own keys.
 */
export async function unpackDebianPackage(scratch: string, release: 'trixie' | 'sid'): Promise<string> {
  const sources = join(scratch, 'sources.list')
  const apt = privateApt(scratch, { 'Dir::Etc::sourcelist': sources, 'Dir::Etc::sourceparts': '-' })
  writeFileSync(sources, `deb [signed-by=${KEYRING}] ${await configuredMirror()} ${release} main\n`)
  await apt(['update'])
  await apt(['download', 'nats-server'])
  const file = readdirSync(scratch).find((name) => name.endsWith('.deb'))
  if (file === undefined) throw new Error('apt-get downloaded nothing')
  await unpack(join(scratch, file), join(scratch, 'root'))
  return join(scratch, 'root/usr/sbin/nats-server')
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
