import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fchmodSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Logs tell who did what. */
const OWNER_ONLY = 0o600

export const logsDir = (dataDir: string) => join(dataDir, 'logs')

/**
 * Starts a program that writes to a log file. A file and not a pipe to us: when we are killed, the program must be able
 * to write until it is stopped. A program that cannot be started ends at once, without a pid.
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
    fchmodSync(log, OWNER_ONLY) // it may be of an earlier release
    const child = spawn(command, args, { ...options, stdio: ['ignore', log, log] })
    child.on('error', () => {}) // hasEnded tells it
    return child
  } finally {
    closeSync(log) // the child has its own copy
  }
}

export function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

/** Sends `signal`, after `graceMs` the harder one, and resolves when the process has ended. */
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

/** The end of a log for an error message; empty when there is none yet. */
export function lastLines(file: string, count: number): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n')
  } catch {
    return '' // nothing was written
  }
}
