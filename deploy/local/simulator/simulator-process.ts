import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { hasEnded, stopChild } from '../servers/child.ts'

export type SimulatorProcessOptions = {
  /** `demo.json`. */
  demoFile: string
  readsPerSecond?: number
  onProblem?: (text: string) => void
}

const MAIN = resolve(import.meta.dirname, 'main.ts')
const STOP_MS = 5_000

/**
 * Runs the simulated warehouse in a process of its own, so that it takes no time from the launcher. It ends with us, even
 * when we are killed: its channel to us closes. Resolves when its readers have tried to log in.
 */
export async function startSimulatorProcess(
  options: SimulatorProcessOptions,
): Promise<{ pid: number | undefined; stop(): Promise<void> }> {
  const { demoFile, readsPerSecond, onProblem = () => {} } = options
  const rate = readsPerSecond === undefined ? [] : ['--reads-per-second', String(readsPerSecond)]
  const child = fork(MAIN, ['--demo', demoFile, ...rate], {
    detached: true, // Ctrl-C in the terminal is for the launcher, which stops things in order
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let isStopping = false
  if (child.stderr) createInterface({ input: child.stderr }).on('line', onProblem)
  child.once('exit', () => {
    if (!isStopping) onProblem('The simulated warehouse has ended; the next start begins it again.')
  })
  await untilStarted(child)
  return {
    pid: child.pid,
    async stop() {
      isStopping = true
      await stopChild(child, 'SIGTERM', STOP_MS)
    },
  }
}

/** An early end is no reason to give up the rest: its own last words have told why. */
async function untilStarted(child: ChildProcess): Promise<void> {
  const given = new AbortController()
  await Promise.race([
    once(child, 'message', { signal: given.signal }),
    once(child, 'exit', { signal: given.signal }),
  ])
  given.abort()
  if (!hasEnded(child)) child.channel?.unref()
}
