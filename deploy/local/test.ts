// The command `npm test` after its preparation (test.mjs): vitest between the start and the stop of its servers.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { errorText } from '../error-text.ts'
import { hasEnded } from './servers/child.ts'
import { findChromium } from './servers/chromium.ts'
import { guardChild } from './servers/guard.ts'
import { ROOT } from './services.ts'
import { startTestServers } from './test-servers.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const say = (line: string) => process.stdout.write(`  ${line}\n`)

/** Runs vitest to its end and returns its exit code; a signal to us is passed on, and then we end in order too. */
async function runVitest(args: string[], variables: Record<string, string>): Promise<number> {
  const vitest = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...variables },
    stdio: 'inherit',
  })
  guardChild(vitest, 'TERM')
  for (const signal of SIGNALS) process.on(signal, () => vitest.kill(signal))
  process.on('disconnect', () => vitest.kill('SIGTERM')) // the wrapper that started us was killed
  if (!hasEnded(vitest)) await once(vitest, 'exit')
  return vitest.exitCode ?? 1
}

/** Before the long wait, so that one knows what is waited for. Its suite fails by itself where there is none. */
async function fetchBrowser(): Promise<void> {
  try {
    await findChromium({ cacheDir: join(ROOT, '.cache/chromium'), onNote: say })
  } catch (error) {
    say(`test/browser will fail: ${errorText(error)}`)
  }
}

async function main(args: string[]): Promise<number> {
  if (args.every((arg) => arg.startsWith('-') || arg.includes('browser'))) await fetchBrowser()
  const servers = await startTestServers(process.env, say)
  try {
    return await runVitest(args, servers.variables)
  } finally {
    await servers.stop()
  }
}

try {
  process.exit(await main(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`\nThe tests did not run. ${errorText(error)}\n`)
  process.exit(1)
}
