import { spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { errorText } from '../../error-text.ts'
import { keepTemporaryFilesInMemory } from './memory-folder.ts'
import { findChromium } from '../downloads/chromium.ts'
import { hasEnded } from '../servers/child.ts'
import { guardChild } from '../servers/guard.ts'
import { ROOT } from '../../installation/services.ts'
import { startTestServers, type TestServers } from './test-servers.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
const say = (line: string) => process.stdout.write(`  ${line}\n`)

/** Runs a program to its end and returns its exit code. Signals to this process are passed on to it. */
export async function runProgram(
  program: string,
  args: readonly string[],
  variables: Record<string, string> = {},
  output: 'terminal' | 'lines' = 'terminal',
): Promise<number> {
  const to = output === 'terminal' ? 'inherit' : 'pipe'
  const options: SpawnOptions = {
    cwd: ROOT,
    env: { ...process.env, ...variables },
    stdio: ['inherit', to, to],
  }
  const child = spawn(program, args, options)
  for (const input of [child.stdout, child.stderr])
    if (input) createInterface({ input }).on('line', (line) => process.stdout.write(`${line}\n`))
  guardChild(child, 'TERM')
  const forward = (signal: NodeJS.Signals) => child.kill(signal)
  const end = () => child.kill('SIGTERM') // the wrapper that started us was killed
  for (const signal of SIGNALS) process.on(signal, forward)
  process.on('disconnect', end)
  if (!hasEnded(child)) await once(child, 'exit')
  for (const signal of SIGNALS) process.off(signal, forward)
  process.off('disconnect', end)
  return child.exitCode ?? 1
}

/** Runs vitest with these arguments and returns its exit code. `lines`: several run at once, whose lines mix. */
export type Vitest = (args: readonly string[], output?: 'terminal' | 'lines') => Promise<number>

/** Starts the servers of the tests, and stops them after `work`. */
export async function withTestServers<T>(work: (vitest: Vitest) => Promise<T>): Promise<T> {
  const removeFolder = keepTemporaryFilesInMemory()
  let servers: TestServers | undefined
  try {
    servers = await startTestServers(process.env, say)
    const { variables } = servers
    return await work((args, output) =>
      runProgram(process.execPath, [VITEST, 'run', ...args], variables, output),
    )
  } finally {
    await servers?.stop()
    removeFolder()
  }
}

/** Before vitest starts, so that the wait has a name. Without a browser the suites that need one fail by themselves. */
export async function fetchBrowser(): Promise<void> {
  try {
    const options = { cacheDir: join(ROOT, '.cache/chromium'), onNote: say }
    for (const name of ['chromium', 'chromium-headless-shell'] as const) await findChromium(name, options)
  } catch (error) {
    say(`test/browser and test/console will fail: ${errorText(error)}`)
  }
}

/** Ends the process with the exit code of `work`. */
export async function exitWith(work: () => Promise<number>): Promise<never> {
  try {
    process.exit(await work())
  } catch (error) {
    process.stderr.write(`\nThe tests did not run. ${errorText(error)}\n`)
    process.exit(1)
  }
}
