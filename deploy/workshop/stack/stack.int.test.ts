import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { getPriority, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { resetData } from './reset.ts'
import { processCommand } from '../servers/process-record.ts'
import { stackParts } from './stack-parts.ts'
import { type Stack, type StackOptions, startStack } from './stack.ts'
import { supervise } from './supervisor.ts'

const SHORT_PAUSES = { firstMs: 50, longestMs: 200, healthyAfterMs: 60_000 }

const folders: string[] = []
const running: Stack[] = []

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stack-test-'))
  folders.push(folder)
  return folder
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((stack) => stack.stop()))
})
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

async function start(dataDir: string, options: Partial<StackOptions> = {}): Promise<Stack> {
  const stack = await startStack({ dataDir, services: ['catalog'], durable: false, ...options })
  running.push(stack)
  return stack
}

const pidsOf = ({ postgres, broker, services }: Stack) =>
  [postgres.pid, broker.pid, services.catalog?.pid].map((pid) => pid!)

const alive = (pids: number[]) => pids.filter((pid) => processCommand(pid) !== undefined)

describe('on one data folder, step by step', () => {
  const dataDir = newFolder()

  test('a killed service starts again on the same address, and a second launcher is refused', async () => {
    const stack = await start(dataDir)
    const catalog = stack.service('catalog')
    await catalog.kill('SIGKILL')
    await expect(fetch(`${stack.urls.ops.catalog}/readyz`)).rejects.toThrow('fetch failed')
    catalog.start()
    await catalog.waitReady()
    await expect(startStack({ dataDir })).rejects.toThrow(/already runs a stack on/)
    await expect(resetData(dataDir, () => {})).rejects.toThrow(/already runs a stack on/)
    expect((await fetch(`${stack.urls.ops.catalog}/readyz`)).status).toBe(200)
  })

  test('stop ends every process, and the next start resumes the data', async () => {
    const notes: string[] = []
    const first = await start(dataDir, { onNote: (note) => notes.push(note) })
    expect(notes).toEqual([]) // nothing left over, nothing migrated again
    const pids = pidsOf(first)
    expect(alive(pids)).toEqual(pids)
    await first.stop()
    expect(alive(pids)).toEqual([])
    expect((await start(dataDir)).secrets).toEqual(first.secrets)
  })

  test('a service that cannot start is named with its last log lines, and the servers are stopped', async () => {
    const attempt = start(dataDir, { env: { catalog: { PORT: 'none' } } })
    await expect(attempt).rejects.toThrow(/catalog ended before it was ready[^]*PORT/)
    await (await start(dataDir)).stop() // the data folder is free again
  })

  test('reset deletes data and secrets, and nothing else', async () => {
    writeFileSync(join(dataDir, 'notes.txt'), 'not ours')
    await resetData(dataDir, () => {})
    expect(readdirSync(dataDir)).toEqual(['notes.txt'])
  })
})

test('no process outlives a killed launcher', async () => {
  const stackFile = new URL('stack.ts', import.meta.url).href
  const script = `import { startStack } from '${stackFile}'
    const stack = await startStack({ dataDir: process.argv[1], services: ['catalog'], durable: false })
    console.log(JSON.stringify([stack.postgres.pid, stack.broker.pid, stack.service('catalog').pid]))`
  const launcher = spawn(process.execPath, ['--input-type=module', '-e', script, newFolder()])
  const [output] = await once(launcher.stdout, 'data')
  const pids: number[] = JSON.parse(String(output))
  expect(alive(pids)).toEqual(pids)
  launcher.kill('SIGKILL')
  await vi.waitFor(() => expect(alive(pids)).toEqual([]), { timeout: 10_000 })
})

test('a killed database, broker or service comes back on the same address', async () => {
  const stack = await start(newFolder())
  const before = pidsOf(stack)
  const supervisor = supervise(stackParts(stack), { say: () => {}, pauses: SHORT_PAUSES })
  try {
    for (const pid of before) process.kill(pid, 'SIGKILL')
    const readyz = () => fetch(`${stack.urls.ops.catalog}/readyz`).then((response) => response.json())
    const isNew = () => pidsOf(stack).every((pid, index) => pid !== before[index])
    await expect.poll(isNew, { timeout: 30_000 }).toBe(true)
    const isWhole = { ready: true, checks: { database: true }, optional: { broker: true } }
    await expect.poll(() => readyz().catch(() => ({})), { timeout: 30_000 }).toMatchObject(isWhole)
  } finally {
    await supervisor.stop()
  }
})

/** Of a process that changes nothing for others. */
async function mayGoFirst(): Promise<boolean> {
  const child = spawn('sleep', ['60'])
  await once(child, 'spawn')
  try {
    setPriority(child.pid!, -1)
    return true
  } catch {
    return false
  } finally {
    child.kill()
  }
}

test.skipIf(!(await mayGoFirst()))(
  'under root, each server goes before other busy programs, also after a restart',
  async () => {
    const stack = await start(newFolder())
    const catalog = stack.service('catalog')
    for (const restart of [1, 2, 3]) {
      const pids = pidsOf(stack)
      expect([restart, ...pids.map(getPriority)]).toEqual([restart, -10, -10, -10])
      const groups = pids.map((pid) => `/proc/${pid}/autogroup`).filter(existsSync)
      for (const group of groups) expect(readFileSync(group, 'utf8')).toMatch(/ nice -10$/m)
      await catalog.kill('SIGKILL')
      catalog.start()
    }
    await catalog.waitReady()
  },
)

test('a taken port is named with the variable that changes it', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const nats = typeof address === 'object' && address ? address.port : 0
  await expect(start(newFolder(), { ports: { nats } })).rejects.toThrow(
    new RegExp(`port ${nats} is taken: .*NATS_PORT=`),
  )
  other.close()
})
