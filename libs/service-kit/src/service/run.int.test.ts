import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'

type Line = { msg: string; address?: string; phase?: string; outcome?: string }
type Service = {
  child: ChildProcess
  /** The next line of the log with this text, or one that was there already. */
  logged(text: string): Promise<Line>
  phases(): string[]
  errors(): string
  /** Exit code and signal. */
  exited: Promise<unknown[]>
}

let running: ChildProcess[] = []
afterEach(async () => {
  const alive = running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  for (const child of alive) child.kill('SIGKILL')
  await Promise.all(alive.map((child) => once(child, 'exit')))
  running = []
})

function startService(settings: Record<string, string>): Service {
  const env = { ENVIRONMENT: 'local', HOST: '127.0.0.1', PORT: '0', OPS_PORT: '0', ...settings }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run.fixture.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  const lines: Line[] = []
  const waiting = new Map<string, (line: Line) => void>()
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line
    lines.push(line)
    waiting.get(line.msg)?.(line)
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  return {
    child,
    logged: async (text) =>
      lines.find(({ msg }) => msg === text) ?? new Promise<Line>((resolve) => waiting.set(text, resolve)),
    phases: () =>
      lines.filter(({ msg }) => msg === 'shutdown phase').map(({ phase, outcome }) => `${phase}: ${outcome}`),
    errors: () => errors,
    exited: once(child, 'close'),
  }
}

async function holdRequest(service: Service): Promise<Promise<string>> {
  const { address } = await service.logged('listens')
  return fetch(`${address}/held`).then((reply) => reply.text())
}

/** Of the parts that each service has, the drain and the other port may not be up so early. */
const ownOf = (service: Service) => service.phases().filter((phase) => !/^(?:drain|ops):/.test(phase))

const WHOLE = ['drain: done', 'api: done', 'outbox: done', 'broker: done', 'database: done', 'ops: done']

test.for([1, 2, 3])(
  'SIGTERM while the broker is away answers the running request and exits with 0 (%i)',
  async () => {
    const service = startService({ BROKER: 'away' })
    const answer = holdRequest(service)
    await service.logged('request held')
    service.child.kill('SIGTERM')
    expect(await answer).toBe('answered')
    expect(await service.exited).toEqual([0, null])
    expect(ownOf(service)).toEqual(['api: done', 'database: done'])
  },
)

test('once it has started, SIGTERM stops all parts in order', async () => {
  const service = startService({ BROKER: 'there' })
  await service.logged('example started')
  service.child.kill('SIGTERM')
  expect(await service.exited).toEqual([0, null])
  expect(service.phases()).toEqual(WHOLE)
})

test('if a part cannot start, the running request is answered, what is up stops, and it exits with 1', async () => {
  const service = startService({ BROKER: 'refuses' })
  const answer = holdRequest(service)
  expect(await answer).toBe('answered')
  expect(await service.exited).toEqual([1, null])
  expect(service.errors()).toContain('example could not start: Error: wrong password')
  expect(ownOf(service)).toEqual(['api: done', 'database: done'])
})

test('a second signal exits at once', async () => {
  const service = startService({ BROKER: 'stuck', SHUTDOWN_GRACE_MS: '600000' })
  await service.logged('example started')
  service.child.kill('SIGTERM')
  await service.logged('shutting down')
  service.child.kill('SIGINT')
  expect(await service.exited).toEqual([1, null])
  expect(service.phases()).not.toContain('database: done')
})

test('a setting that is wrong is named, and it exits with 78', async () => {
  const service = startService({ BROKER: 'unknown' })
  expect(await service.exited).toEqual([78, null])
  expect(service.errors()).toMatch(/example could not start: [^]*BROKER/)
})
