import { execFileSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { endOf, hasEnded, lastLines, logsDir, spawnLogged, stopChild } from '../servers/child.ts'
import { guardChild } from '../servers/guard.ts'
import { poll } from '../servers/poll.ts'
import { recordProcess, stopRecordedProcess } from '../servers/process-record.ts'
import { putFirst } from '../servers/put-first.ts'
import { ROOT, type ServiceName, serviceMain } from '../../installation/services.ts'

// Shorter than the shutdown phases of a service, ten seconds each: this is a local stack.
const STOP_SECONDS = 8
const READY_SECONDS = 30

/** One service of a running stack, for tests that stop, kill and start it again on the same ports. */
export type ServiceControl = {
  name: ServiceName
  /** Of the process that runs now, or ran last. */
  readonly pid: number | undefined
  readonly isRunning: boolean
  /** Sends a signal and resolves when the process has ended; SIGKILL is a crash. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Sends SIGTERM, and SIGKILL after some seconds. */
  stop(): Promise<void>
  /** Starts the process (again); does not wait for it to be ready. */
  start(): void
  /** Resolves when `/readyz` answers 200 and the service lacks nothing, such as the broker; throws with the end of the log when the process ends first. */
  waitReady(): Promise<void>
  /** The end of its log, over restarts. */
  logs(lines?: number): string
  /** Resolves when the current process ends, with the reason: `exit code 1`, `SIGKILL`. */
  ended(): Promise<string>
}

type Options = {
  name: ServiceName
  env: Record<string, string>
  opsUrl: string
  /** For the log and the pid file. */
  dataDir: string
  /** The checkout whose code runs. Default: this one. */
  root?: string
}

/** Stops the process that a killed run left of this service. Returns its pid, if any. */
export function stopLeftoverService(name: ServiceName, dataDir: string): Promise<number | undefined> {
  return stopRecordedProcess(pidFileOf(name, dataDir), 'SIGTERM', STOP_SECONDS * 1000)
}

export function createServiceControl({ name, env, opsUrl, dataDir, root = ROOT }: Options): ServiceControl {
  const logFile = join(logsDir(dataDir), `${name}.log`)
  const pidFile = pidFileOf(name, dataDir)
  let child: ChildProcess | undefined
  const isRunning = () => child !== undefined && !hasEnded(child)
  return {
    name,
    get pid() {
      return child?.pid
    },
    get isRunning() {
      return isRunning()
    },
    start() {
      if (isRunning()) throw new Error(`${name} is already running`)
      child = launchService(name, env, { logFile, root })
      if (child.pid !== undefined) recordProcess(pidFile, child.pid)
    },
    async kill(signal) {
      if (!child || hasEnded(child)) return
      const exit = once(child, 'exit')
      child.kill(signal)
      await exit
    },
    async stop() {
      if (child) await stopChild(child, 'SIGTERM', STOP_SECONDS * 1000)
      rmSync(pidFile, { force: true })
    },
    waitReady: () => untilReady(name, opsUrl, isRunning, logFile),
    logs: (lines = 200) => lastLines(logFile, lines),
    async ended() {
      return child ? endOf(child) : 'never started'
    },
  }
}

function pidFileOf(name: ServiceName, dataDir: string): string {
  return join(dataDir, 'run', `${name}.pid`)
}

type Place = { logFile: string; root: string }

function launchService(
  name: ServiceName,
  env: Record<string, string>,
  { logFile, root }: Place,
): ChildProcess {
  const child = spawnLogged(process.execPath, [serviceMain(name, root)], logFile, {
    cwd: root,
    detached: true, // Ctrl-C goes to the launcher, which stops everything in order
    env: { ...inheritedEnvironment(), APP_COMMIT: commitOf(root), ...env },
  })
  putFirst(child)
  guardChild(child, 'TERM')
  return child
}

/** Of the checkout; a build argument in images. */
function commitOf(root: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  } catch {
    return '' // a copy without a repository: the service says `unknown`
  }
}

/** Inherited variables. No others, so that a DATABASE_URL of the shell reaches no service. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const names = [
    'PATH',
    'HOME',
    'LANG',
    'TZ',
    'TMPDIR',
    'NODE_COMPILE_CACHE',
    'NODE_EXTRA_CA_CERTS',
    'LOG_LEVEL',
  ]
  return Object.fromEntries(names.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])))
}

async function untilReady(name: ServiceName, opsUrl: string, isRunning: () => boolean, logFile: string) {
  const check = async () => {
    if (!isRunning()) throw new Error(`${name} ended before it was ready:\n${lastLines(logFile, 12)}`)
    return (await isComplete(opsUrl)) || undefined
  }
  if (await poll(check, { everyMs: 30, timeoutMs: READY_SECONDS * 1000 })) return
  throw new Error(`${name} was not ready after ${READY_SECONDS} s:\n${lastLines(logFile, 12)}`)
}

/** A service is ready without the broker, but a person who starts a whole system expects it to work. */
async function isComplete(opsUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${opsUrl}/readyz`, { signal: AbortSignal.timeout(2000) })
    const { optional = {} } = (await response.json()) as { optional?: Record<string, boolean> }
    return response.ok && Object.values(optional).every(Boolean)
  } catch {
    return false // not listening yet
  }
}
