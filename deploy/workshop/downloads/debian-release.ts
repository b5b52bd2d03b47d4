import { execFile } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assertPinned, type Pins } from './checksum.ts'
import { privateApt, unpack, type PrivateApt } from './debian-apt.ts'

const run = promisify(execFile)
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

type Wanted = {
  /** Default: that of this machine, for programs that need its libraries. */
  release?: 'trixie' | 'testing' | 'sid'
  /** Of the package. */
  name: string
  /** Path of the program in the package. */
  file: string
  /** Hashes of accepted packages. Default: any that Debian has signed. */
  pins?: Pins
}

/**
 * Downloads a Debian package into `scratch` (an empty absolute folder), unpacks it there and returns the path of its
 * file. The release may differ from this machine's. Checks signatures with Debian's keys and the package with its
 * pinned hash.
 */
export async function unpackDebianPackage(scratch: string, wanted: Wanted): Promise<string> {
  const { release, name, file, pins } = wanted
  const apt = await aptOfRelease(scratch, release)
  // With the release: this machine may have a package of this name from another source.
  const selected = release === undefined ? name : `${name}/${release}`
  if (pins) assertOffered(await apt(['download', '--print-uris', selected]), pins)
  await apt(['download', selected])
  const archive = readdirSync(scratch).find((entry) => entry.endsWith('.deb'))
  if (archive === undefined) throw new Error('apt-get downloaded nothing')
  if (pins) assertPinned(join(scratch, archive), pins)
  await unpack(join(scratch, archive), join(scratch, 'root'))
  return join(scratch, 'root', file)
}

/** `printed` is the output of `apt-get download --print-uris`. Throws when Debian no longer offers a pinned package. */
export function assertOffered(printed: string, pins: Pins): void {
  const offered = /^'[^']+' (\S+\.deb) \d+/m.exec(printed)?.[1]
  if (offered === undefined) throw new Error('apt-get offers no package')
  if (pins[offered] !== undefined) return
  const known = Object.keys(pins).join(', ')
  throw new Error(`Debian now offers ${offered}; pinned are ${known}`)
}

/**
 * Unpacks a package with the libraries that this machine lacks into `target`, without documentation. With `all`, every
 * library down to the C library, for a release that is newer than this machine's.
 */
export async function unpackWithLibraries(
  scratch: string,
  { release, name, all = false }: Pick<Wanted, 'release' | 'name'> & { all?: boolean },
  target: string,
): Promise<void> {
  const status = join(scratch, 'status')
  writeFileSync(status, '') // as on a machine where nothing is installed
  const apt = await aptOfRelease(scratch, release, all ? { 'Dir::State::status': status } : {})
  await apt(['install', '--yes', '--download-only', '--no-install-recommends', name])
  const archives = join(scratch, 'cache/archives')
  for (const file of readdirSync(archives).filter((entry) => entry.endsWith('.deb')))
    await unpack(join(archives, file), join(target, 'root'))
  rmSync(join(target, 'root/usr/share'), { recursive: true, force: true })
}

async function aptOfRelease(
  scratch: string,
  release: Wanted['release'],
  options: Record<string, string> = {},
): Promise<PrivateApt> {
  if (release === undefined) return updated(privateApt(scratch, options))
  const sources = join(scratch, 'sources.list')
  const lists = { 'Dir::Etc::sourcelist': sources, 'Dir::Etc::sourceparts': '-' }
  const apt = privateApt(scratch, { ...lists, ...options })
  writeFileSync(sources, `deb [signed-by=${KEYRING}] ${await configuredMirror()} ${release} main\n`)
  return updated(apt)
}

async function updated(apt: PrivateApt): Promise<PrivateApt> {
  await apt(['update'])
  return apt
}

/** The mirror that this machine uses. Behind a firewall it may be the only one that answers. */
async function configuredMirror(): Promise<string> {
  // Without --no-release-info, apt prints nothing on images without package lists.
  const format = ['--no-release-info', '--format', '$(RELEASE) $(REPO_URI)', 'Created-By: Packages']
  const { stdout } = await run('apt-get', ['indextargets', ...format])
  // A release with a dash (updates, security) may be on another server.
  const line = stdout.split('\n').find((candidate) => /^[^\s-]+ \S/.test(candidate))
  if (line === undefined) throw new Error('apt has no mirror configured')
  return line.slice(line.indexOf(' ') + 1)
}
