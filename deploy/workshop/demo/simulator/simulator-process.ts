import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { endOf, hasEnded, stopChild } from '../../servers/child.ts'

export type SimulatorProcessOptions = {
  /** `demo.json`. */
  demoFile: string
  readsPerSecond?: number
  onProblem?: (text: string) => void
}

export type SimulatorProcess = {
  pid: number | undefined
  /** Resolves when it has ended, with the reason. */
  ended(): Promise<string>
  stop(): Promise<void>
}

const MAIN = resolve(import.meta.dirname, 'main.ts')
const STOP_MS = 5_000

/**
 * Runs the simulated warehouse in a separate process. It ends with this one, even by SIGKILL, because its channel
 * closes. Resolves when its readers have tried to log in.
 */
export async function startSimulatorProcess(options: SimulatorProcessOptions): Promise<SimulatorProcess> {
  const { demoFile, readsPerSecond, onProblem = () => {} } = options
  const rate = readsPerSecond === undefined ? [] : ['--reads-per-second', String(readsPerSecond)]
  const child = fork(MAIN, ['--demo', demoFile, ...rate], {
    detached: true, // Ctrl-C goes to the launcher, which stops everything in order
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  if (child.stderr) createInterface({ input: child.stderr }).on('line', onProblem)
  await untilStarted(child)
  return {
    pid: child.pid,
    ended: () => endOf(child),
    stop: () => stopChild(child, 'SIGTERM', STOP_MS),
  }
}

/** Resolves also when it ends early: it has reported the reason, and the product runs without it. */
async function untilStarted(child: ChildProcess): Promise<void> {
  const given = new AbortController()
  await Promise.race([
    once(child, 'message', { signal: given.signal }),
    once(child, 'exit', { signal: given.signal }),
  ])
  given.abort()
  if (!hasEnded(child)) child.channel?.unref()
}
