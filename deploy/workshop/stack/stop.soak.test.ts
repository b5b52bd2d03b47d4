import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { freePorts } from '../servers/free-port.ts'
import { processCommand } from '../servers/process-record.ts'
import { ROOT } from '../../installation/services.ts'

const folders: string[] = []
const started: ChildProcess[] = []
afterEach(() => {
  for (const npm of started.splice(0)) if (npm.exitCode === null) npm.kill('SIGKILL')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function npmStart() {
  const dataDir = mkdtempSync(join(tmpdir(), 'stop-test-'))
  folders.push(dataDir)
  const [port, nats, mqtt] = await freePorts(3)
  const env = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: `${port}`,
    NATS_PORT: `${nats}`,
    MQTT_PORT: `${mqtt}`,
  }
  const npm = spawn('npm', ['start', '--', '--no-simulator'], {
    cwd: ROOT,
    env,
    detached: true, // a terminal of its own, so that signals reach only the process that they name
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(npm)
  let output = ''
  for (const stream of [npm.stdout, npm.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await expect.poll(() => output, { timeout: 60_000 }).toContain('Ready after')
  return { npm, dataDir, env }
}

/** All processes below `pid`, itself included. */
function tree(pid: number): number[] {
  const pairs = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const found = [pid]
  for (const parent of found) for (const [child = 0, its] of pairs) if (its === parent) found.push(child)
  return found
}

const programOf = (pids: number[], name: string) =>
  pids.find((pid) => new RegExp(`node\\S* .*${name}`).test(processCommand(pid) ?? '')) ?? 0

test.for([
  { who: 'npm', signal: 'SIGTERM' },
  { who: 'npm', signal: 'SIGKILL' },
  { who: 'start.mjs', signal: 'SIGTERM' },
  { who: 'start.mjs', signal: 'SIGKILL' },
  { who: 'start.ts', signal: 'SIGKILL' },
  { who: 'start.ts', signal: 'SIGHUP' },
] as const)('$signal to $who of npm start ends everything within ten seconds', async ({ who, signal }) => {
  const { npm, dataDir } = await npmStart()
  const all = tree(npm.pid ?? 0)
  expect(all.length).toBeGreaterThan(9) // npm, two launchers, PostgreSQL, the broker and six services
  process.kill(who === 'npm' ? (npm.pid ?? 0) : programOf(all, `deploy/workshop/\\w+/${who}`), signal)
  const alive = () => all.map((pid) => processCommand(pid)).filter((command) => command !== undefined)
  await expect.poll(alive, { timeout: 10_000, interval: 100 }).toEqual([])
  expect(() => readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'))).toThrow('ENOENT')
})

test('npm run status tells what runs, and a second start is refused with its address', async () => {
  const { npm, dataDir, env } = await npmStart()
  const status = async () => {
    const child = spawn('npm', ['run', '--silent', 'status', '--', '--json'], { cwd: ROOT, env })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number]
    return { code, ...(JSON.parse(text) as { state: string; processes: { name: string; health: string }[] }) }
  }
  await expect.poll(status, { timeout: 20_000 }).toMatchObject({ code: 0, state: 'running' })
  const { processes } = await status()
  expect(processes.map(({ name }) => name).toSorted()).toEqual([
    'catalog',
    'console',
    'gateway',
    'keys',
    'nats',
    'postgres',
    'tracking',
    'webhook-dispatcher',
  ])
  const second = spawn('npm', ['start'], { cwd: ROOT, env })
  let refusal = ''
  second.stderr.on('data', (chunk: Buffer) => (refusal += chunk.toString()))
  await once(second, 'close')
  expect(refusal).toContain(`another stack runs on ${dataDir} (pid `)
  expect(refusal).toContain(`http://127.0.0.1:${env.PORT}`)
  const exit = once(npm, 'exit')
  process.kill(npm.pid ?? 0, 'SIGTERM')
  await exit
  await expect.poll(status, { timeout: 20_000 }).toMatchObject({ code: 3, state: 'stopped', processes: [] })
})
