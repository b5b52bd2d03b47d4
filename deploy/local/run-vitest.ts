import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { errorText } from '../error-text.ts'
import { hasEnded } from './servers/child.ts'
import { keepTemporaryFilesInMemory } from './memory-folder.ts'
import { findChromium } from './servers/chromium.ts'
import { guardChild } from './servers/guard.ts'
import { ROOT } from './services.ts'
import { startTestServers } from './test-servers.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')
const say = (line: string) => process.stdout.write(`  ${line}\n`)

/** Runs a program to its end and returns its exit code. Signals to this process are passed on to it. */
export async function runProgram(
  program: string,
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<number> {
  const child = spawn(program, args, { cwd: ROOT, env: { ...process.env, ...variables }, stdio: 'inherit' })
  guardChild(child, 'TERM')
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
  process.on('disconnect', () => child.kill('SIGTERM')) // the wrapper that started us was killed
  if (!hasEnded(child)) await once(child, 'exit')
  return child.exitCode ?? 1
}

/** Runs vitest with these arguments between the start and the stop of its servers, and returns its exit code. */
export async function runVitest(args: readonly string[], needsBrowser: boolean): Promise<number> {
  if (needsBrowser) await fetchBrowser()
  const removeFolder = keepTemporaryFilesInMemory()
  try {
    const servers = await startTestServers(process.env, say)
    try {
      return await runProgram(process.execPath, [VITEST, 'run', ...args], servers.variables)
    } finally {
      await servers.stop()
    }
  } finally {
    removeFolder()
  }
}

/** Before vitest starts, so that the wait has a name. Without a browser the suites that need one fail by themselves. */
async function fetchBrowser(): Promise<void> {
  try {
    await findChromium({ cacheDir: join(ROOT, '.cache/chromium'), onNote: say })
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
