import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ROOT } from '../local/services.ts'

/** Runs a program of a service and shows its output. Rejects when it fails. */
export async function runServiceProgram(
  file: string,
  { args, env }: { args: readonly string[]; env: Record<string, string> },
): Promise<void> {
  // Variables of the shell, such as a DATABASE_URL, must not reach it.
  const child = spawn(process.execPath, [join(ROOT, file), ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${file} ended with ${code === null ? 'a signal' : `exit code ${code}`}`)
}
