import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { resetData } from './reset.ts'
import { processCommand } from './servers/process-record.ts'
import { type Stack, type StackOptions, startStack } from './stack.ts'

let dataDir: string
const running: Stack[] = []

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'stack-test-'))
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((stack) => stack.stop()))
  rmSync(dataDir, { recursive: true, force: true })
})

async function start(options: Partial<StackOptions> = {}): Promise<Stack> {
  const stack = await startStack({ dataDir, services: ['catalog'], durable: false, ...options })
  running.push(stack)
  return stack
}

const pidsOf = ({ postgres, broker, services }: Stack) =>
  [postgres.pid, broker.pid, services.catalog?.pid].map((pid) => pid!)

const alive = (pids: number[]) => pids.filter((pid) => processCommand(pid) !== undefined)

test('a service that was killed starts again on the same address', async () => {
  const stack = await start()
  const catalog = stack.service('catalog')
  await catalog.kill('SIGKILL')
  await expect(fetch(`${stack.urls.ops.catalog}/readyz`)).rejects.toThrow('fetch failed')
  catalog.start()
  await catalog.waitReady()
  expect((await fetch(`${stack.urls.ops.catalog}/readyz`)).status).toBe(200)
})

test('stop ends every process, and the next start resumes the data', async () => {
  const first = await start()
  const pids = pidsOf(first)
  expect(alive(pids)).toEqual(pids)
  await first.stop()
  expect(alive(pids)).toEqual([])
  const notes: string[] = []
  const second = await start({ onNote: (note) => notes.push(note) })
  expect(second.secrets).toEqual(first.secrets)
  expect(notes).toEqual([]) // nothing left over, nothing migrated again
})

test('a second launcher on the same data is refused and disturbs nothing', async () => {
  const stack = await start()
  await expect(startStack({ dataDir })).rejects.toThrow(/runs a stack on .* already/)
  await expect(resetData(dataDir, () => {})).rejects.toThrow(/runs a stack on .* already/)
  expect((await fetch(`${stack.urls.ops.catalog}/readyz`)).status).toBe(200)
})

test('nothing outlives a launcher that was killed', async () => {
  const stackFile = new URL('stack.ts', import.meta.url).href
  const script = `import { startStack } from '${stackFile}'
    const stack = await startStack({ dataDir: process.argv[1], services: ['catalog'], durable: false })
    console.log(JSON.stringify([stack.postgres.pid, stack.broker.pid, stack.service('catalog').pid]))`
  const launcher = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir])
  const [output] = await once(launcher.stdout, 'data')
  const pids: number[] = JSON.parse(String(output))
  expect(alive(pids)).toEqual(pids)
  launcher.kill('SIGKILL')
  await vi.waitFor(() => expect(alive(pids)).toEqual([]), { timeout: 10_000 })
})

test('a service that cannot start is named with its last words, and the servers are stopped', async () => {
  const attempt = start({ env: { catalog: { PORT: 'none' } } })
  await expect(attempt).rejects.toThrow(/catalog ended before it was ready[^]*PORT/)
  await (await start()).stop() // the data folder is free again
})

test('a taken port is named with the variable that changes it', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const nats = typeof address === 'object' && address ? address.port : 0
  await expect(start({ ports: { nats } })).rejects.toThrow(new RegExp(`port ${nats} is taken: .*NATS_PORT=`))
  other.close()
})

test('reset throws away data and secrets, and nothing that is not ours', async () => {
  await (await start()).stop()
  await resetData(dataDir, () => {})
  expect(['postgres', 'nats', 'secrets.json'].filter((name) => existsSync(join(dataDir, name)))).toEqual([])
  expect(existsSync(dataDir)).toBe(true)
})
