import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { opsEnvFile } from '@whereabouts/deploy/local/ops-env'
import type { Stack } from '@whereabouts/deploy/local/stack'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const OPS = join(ROOT, 'services/keys/src/ops/main.ts')

/** Every member that some command prints; which ones, its test says. */
type Output = {
  org: { id: number; subscription_ends_at: string | null }
  password: string
  key: { revoked_at: string }
  data: { kid: string }[]
  total_count: number
  error: { type: string }
}

export type Ran = {
  exitCode: number
  stdout: string
  stderr: string
  /** What was printed with --json: a result, or on standard error what failed. Throws when it is no JSON. */
  json(): Output
}

/** Runs the operator's command line as a process of its own, with nothing in its environment but what is given. */
export async function runProgram(
  args: readonly string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [...args], { cwd: ROOT, env, stdio: 'pipe' })
  child.stdin.on('error', () => undefined) // it may have ended without reading
  child.stdin.end(input)
  const exit = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { exitCode, stdout, stderr, json: () => JSON.parse(exitCode === 0 ? stdout : stderr) as Output }
}

/** `pnpm ops …` with these variables; without any, they are missing. */
export const ops = (args: readonly string[], env: Record<string, string> = {}, input = '') =>
  runProgram([OPS, ...args], { env, input })

/** The same on a running stack, with the variables that the start of the stack has written down for it. */
export const operatorOf =
  ({ dataDir }: Pick<Stack, 'dataDir'>) =>
  (args: readonly string[], input = ''): Promise<Ran> =>
    runProgram([`--env-file=${opsEnvFile(dataDir)}`, OPS, ...args], { input })
