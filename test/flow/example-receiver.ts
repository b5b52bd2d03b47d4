import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { webhookSignature } from '@whereabouts/client/webhooks'

const MAIN = fileURLToPath(new URL('../../libs/client/examples/webhook-receiver/main.ts', import.meta.url))

/** A line of its output. */
type Line = { what: string } & Record<string, unknown>

export type ExampleReceiver = {
  url: string
  lines: Line[]
  /** Ends it as Ctrl-C does; resolves with its exit code. */
  stop(): Promise<number | null>
}

/** Runs the example to its end, for inputs that end it at once. */
export async function runExample(args: string[], env: Record<string, string> = {}) {
  const { child, output } = launch(args, env)
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { exitCode, ...output }
}

export async function startExample(args: string[], env: Record<string, string>): Promise<ExampleReceiver> {
  const { child, output } = launch(['--port', '0', ...args], env)
  const lines: Line[] = []
  const listening = Promise.withResolvers<string>()
  let rest = ''
  child.stdout?.on('data', (part: string) => {
    const parts = (rest + part).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts.map((one) => JSON.parse(one) as Line)) {
      lines.push(line)
      if (line.what === 'listening') listening.resolve(String(line['url']))
    }
  })
  child.once('exit', () => listening.reject(new Error(`the example ended:\n${output.stderr}`)))
  return { url: await listening.promise, lines, stop: () => stop(child) }
}

/** Starts it with only the given environment. */
function launch(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (part: string) => (output.stdout += part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => (output.stderr += part))
  return { child, output }
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const [exitCode] = (await exit) as [number | null]
  return exitCode
}

type Place = { asset_key: string; location: string | null; as_of: string }

/** The locations in its file, by asset key. */
export function placesIn(file: string): Record<string, Place> {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = db.prepare('select asset_key, location, as_of from place').all() as unknown as Place[]
    return Object.fromEntries(rows.map((row) => [row.asset_key, { ...row }]))
  } finally {
    db.close()
  }
}

/** Sends a body with the headers of a delivery; resolves with the status. `occurredAt` sets its timestamp. */
export async function deliverTo(
  url: string,
  body: string,
  { secret, occurredAt }: { secret: string; occurredAt: string },
): Promise<number> {
  const timestamp = String(Math.floor(Date.parse(occurredAt) / 1000))
  const headers = {
    'content-type': 'application/json',
    'x-service-timestamp': timestamp,
    'x-service-signature': await webhookSignature(body, timestamp, secret),
  }
  const response = await fetch(url, { method: 'POST', headers, body })
  await response.body?.cancel()
  return response.status
}
