import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { opsEnvFile } from '@whereabouts/deploy/workshop/stack/ops-env'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const opsOf = (root: string) => join(root, 'services/keys/src/ops/main.ts')

/** The fields of command outputs that tests read. */
type Output = {
  org: { id: number; subscription_ends_at: string | null }
  password: string
  key: { revoked_at: string }
  data: { kid: string }[]
  total_count: number
  error: { type: string }
}

export type RunResult = {
  exitCode: number
  stdout: string
  stderr: string
  /** The output of --json: the result, or the error from standard error. Throws when it is not JSON. */
  json(): Output
}

/** Runs a program as an operator does. Its environment holds the given variables only. */
export async function runProgram(
  args: readonly string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): Promise<RunResult> {
  const { NODE_COMPILE_CACHE = '' } = process.env // makes a start twice as fast
  const child = spawn(process.execPath, [...args], {
    cwd: ROOT,
    env: { NODE_COMPILE_CACHE, ...env },
    stdio: 'pipe',
  })
  child.stdin.on('error', () => undefined) // it may have ended without reading
  child.stdin.end(input)
  const exit = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  return { exitCode, stdout, stderr, json: () => JSON.parse(exitCode === 0 ? stdout : stderr) as Output }
}

/** `pnpm ops …` with these variables only. */
export const ops = (args: readonly string[], env: Record<string, string> = {}, input = '') =>
  runProgram([opsOf(ROOT), ...args], { env, input })

/** The same on a running stack, with the variables that its start wrote to a file, and the program of `root`. */
export const operatorOf =
  ({ dataDir }: Pick<Stack, 'dataDir'>, root = ROOT) =>
  (args: readonly string[], input = ''): Promise<RunResult> =>
    runProgram([`--env-file=${opsEnvFile(dataDir)}`, opsOf(root), ...args], { input })
