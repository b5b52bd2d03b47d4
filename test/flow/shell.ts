import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'

export type Shell = {
  /** Resolves with the output of the commands; rejects with it if one of them fails. */
  run(commands: string): Promise<string>
  /** The same for commands of which one must fail. A reply that is not 2xx is a failure. */
  refused(commands: string): Promise<string>
  /** Does not wait for their end. */
  begin(commands: string): void
  /** Everything so far. */
  printed(): string
  /** Resolves when something like this was printed. */
  until(text: RegExp): Promise<void>
  /** Ends the shell and the processes that it started. */
  stop(): Promise<void>
}

/** Here a command of the guide fails if its request fails, but not if --max-time ends it. */
const PREAMBLE = `set -euo pipefail
curl() { command curl --fail-with-body "$@" || [ $? -eq 28 ]; }
`
const PATIENCE_MS = 30_000

/** A terminal of a person who follows the guide, with the Node of this process. */
export function startShell(cwd: string): Shell {
  const { HOME = '/', PATH = '' } = process.env
  const env = { HOME, PATH: `${dirname(process.execPath)}:${PATH}`, LC_ALL: 'C.UTF-8' }
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd, env, detached: true, stdio: 'pipe' })
  const exit = once(child, 'exit')
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (printed += part))
  child.stdin.on('error', () => undefined) // it ended at a command that failed
  child.stdin.write(PREAMBLE)
  let count = 0

  async function until(text: RegExp, whatFor: string, from: number): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS
    while (!text.test(printed.slice(from))) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`this does not work:\n${whatFor}\n${printed.slice(from)}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async function run(commands: string): Promise<string> {
    const [from, mark] = [printed.length, `@@ ${(count += 1)} is done`]
    child.stdin.write(`${commands}\nprintf '\\n%s\\n' '${mark}'\n`)
    await until(new RegExp(mark), commands, from)
    return printed.slice(from, printed.indexOf(mark, from)).trim()
  }

  return {
    run,
    refused: (commands) => run(`set +e; ( set -e\n${commands}\n); refusal=$?; set -e; [ "$refusal" -ne 0 ]`),
    begin: (commands) => void child.stdin.write(`${commands}\n`),
    printed: () => printed,
    until: (text) => until(text, String(text), 0),
    async stop() {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      await exit
    },
  }
}
