import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fchmodSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Logs may name users. */
const OWNER_ONLY = 0o600

export const logsDir = (dataDir: string) => join(dataDir, 'logs')

/**
 * Starts a program that writes to a log file. Not a pipe: when this process is killed, the program must still be able
 * to write. A program that cannot be started ends at once, without a pid.
 */
export function spawnLogged(
  command: string,
  args: string[],
  logFile: string,
  options: SpawnOptions,
): ChildProcess {
  mkdirSync(dirname(logFile), { recursive: true })
  const log = openSync(logFile, 'a', OWNER_ONLY)
  try {
    fchmodSync(log, OWNER_ONLY) // an older release used another mode
    const child = spawn(command, args, { ...options, stdio: ['ignore', log, log] })
    child.on('error', () => {}) // see hasEnded
    return child
  } finally {
    closeSync(log) // the child has its own copy
  }
}

export function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

/** Resolves when the process has ended, with the reason: `exit code 1`, `SIGKILL`. */
export async function endOf(child: ChildProcess): Promise<string> {
  if (!hasEnded(child)) await once(child, 'exit')
  return child.signalCode ?? `exit code ${child.exitCode}`
}

/** Sends `signal`, after `graceMs` also `harder`, and resolves when the process has ended. */
export async function stopChild(
  child: ChildProcess,
  signal: NodeJS.Signals,
  graceMs: number,
  harder: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  if (hasEnded(child)) return
  const exit = once(child, 'exit')
  child.kill(signal)
  const timer = setTimeout(() => child.kill(harder), graceMs)
  await exit
  clearTimeout(timer)
}

/** The end of a log for an error message; empty without a log. */
export function lastLines(file: string, count: number): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n')
  } catch {
    return '' // no log yet
  }
}
