import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createServer } from 'node:http'
import { freePort } from '../workshop/servers/free-port.ts'

const SCRIPT = join(import.meta.dirname, 'single.sh')
const PATIENTLY = { timeout: 30_000, interval: 50 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'single-broker-'))
})
const children: ChildProcess[] = []
afterEach(async () => {
  await Promise.all(
    children.splice(0).map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    }),
  )
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the script with `name` first on the PATH as nats-server. */
function start(binary: string, monitorPort: number, args: string[]) {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  symlinkSync(binary, join(bin, 'nats-server'))
  const child = spawn('sh', [SCRIPT, ...args], {
    env: {
      PATH: `${bin}:${process.env['PATH']}`,
      NATS_MONITOR: `127.0.0.1:${monitorPort}`,
      NATS_MONITOR_PATH: '/',
      NATS_STORE_DIR: join(folder, 'store'),
      NATS_MAX_FILE_STORE: '-1',
      STORAGE_CHECK_SECONDS: '0.1',
    },
  })
  children.push(child)
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return { child, text: () => text }
}

/** A monitor that answers like a broker with these failures. */
async function startMonitor(answers: { full: number; serverOnly: number; held: number }) {
  let asked = 0
  const server = createServer(({ url = '' }, reply) => {
    if (url.includes('js-server-only')) asked += 1
    const status =
      url === '/healthz' ? answers.full : url.includes('js-server-only') ? answers.serverOnly : 200
    const body = { config: { max_memory: 5, max_storage: 100_000_000 }, storage: answers.held }
    reply.writeHead(status).end(JSON.stringify(body, null, 2))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, asked: () => asked, close: () => server.close() }
}

/** A program that runs until SIGTERM, in place of nats-server. */
function patientProgram(): string {
  const file = join(folder, 'patient.sh')
  writeFileSync(file, '#!/bin/sh\ntrap "exit 1" TERM\nwhile :; do sleep 0.05; done\n', { mode: 0o755 })
  return file
}

const freeBytes = () =>
  Number(spawnSync('df', ['-Pk', folder], { encoding: 'utf8' }).stdout.split('\n')[1]?.split(/ +/)[3]) * 1024

/** nats-server itself, and which share of the free disk it may use. */
async function startReally() {
  const binary = process.env['WB_TEST_NATS_BIN']
  if (binary === undefined) throw new Error('npm test gives the path of nats-server')
  const [port, monitorPort] = [await freePort(), await freePort()]
  const conf = join(folder, 'nats.conf')
  writeFileSync(
    conf,
    `listen: "127.0.0.1:${port}"\nhttp: "127.0.0.1:${monitorPort}"\njetstream { store_dir: $NATS_STORE_DIR, max_file_store: $NATS_MAX_FILE_STORE }\n`,
  )
  const { child } = start(binary, monitorPort, ['-c', conf])
  const statistics = async () => {
    const reply = await fetch(`http://127.0.0.1:${monitorPort}/jsz`).catch(() => undefined)
    return (await reply?.json()) as { config: { max_storage: number } } | undefined
  }
  await expect.poll(statistics, PATIENTLY).toBeDefined()
  return { child, most: async () => ((await statistics())?.config.max_storage ?? 0) / freeBytes() }
}

test('it becomes nats-server, which runs on while it is well and may use three quarters of the free disk', async () => {
  const { child, most } = await startReally()
  expect(await most()).toBeCloseTo(0.75, 1)
  expect(spawnSync('ps', ['-o', 'comm=', '-p', String(child.pid)], { encoding: 'utf8' }).stdout).toContain(
    'nats',
  )
  child.kill('SIGTERM')
  await once(child, 'exit')
})

test('beside streams that exist, it may use what they may grow to, and three quarters of the room beyond', async () => {
  const [limit, unlimited] = [Math.floor(0.6 * freeBytes()), 40 * 1024 * 1024]
  // As nats-server leaves them: a compressed stream whose files are small, and one without a limit.
  const stream = (name: string, about: string) => {
    const place = join(folder, 'store/jetstream/APP/streams', name)
    mkdirSync(join(place, 'msgs'), { recursive: true })
    writeFileSync(join(place, 'meta.inf'), about)
    return place
  }
  stream(
    '$MQTT_msgs',
    `{"name":"$MQTT_msgs","max_msgs":-1,"max_bytes":${limit},"max_age":0,"compression":"s2"}`,
  )
  const place = stream('EVENTS', '{"name":"EVENTS","max_msgs":-1,"max_bytes":-1,"max_age":0}')
  writeFileSync(join(place, 'msgs/1.blk'), Buffer.alloc(unlimited, 1))
  const program = join(folder, 'told.sh')
  writeFileSync(program, '#!/bin/sh\necho "may use $NATS_MAX_FILE_STORE"\n', { mode: 0o755 })
  const { child, text } = start(program, 1, [])
  await once(child, 'exit')
  const most = Number(/may use (\d+)/.exec(text())?.[1])
  const reserved = limit + unlimited
  expect(most / (reserved + 0.75 * (freeBytes() + unlimited - reserved))).toBeCloseTo(1, 1)
})

test.for([
  { what: 'its full health fails', answers: { full: 503, serverOnly: 200, held: 0 } },
  { what: 'it holds more than it may use', answers: { full: 200, serverOnly: 200, held: 99_500_000 } },
])('the broker is ended when $what three times', async ({ answers }) => {
  const monitor = await startMonitor(answers)
  const { child, text } = start(patientProgram(), monitor.port, [])
  await once(child, 'exit')
  monitor.close()
  expect(monitor.asked()).toBe(3)
  expect(text()).toBe('the broker stores nothing, see its last error. It ends, to be started again\n')
})

test('while the disk is full the broker runs on, one line says so, and it is ended once there is room', async () => {
  const monitor = await startMonitor({ full: 503, serverOnly: 200, held: 0 })
  const { child, text } = start(patientProgram(), monitor.port, [])
  const disk = (freeKib: number) =>
    writeFileSync(join(folder, 'bin/df'), `#!/bin/sh\necho head\necho disk 1000000 0 ${freeKib} 0 /data\n`, {
      mode: 0o755,
    })
  disk(64)
  await expect.poll(monitor.asked, PATIENTLY).toBeGreaterThan(6)
  expect(child.exitCode).toBeNull()
  disk(900_000)
  await once(child, 'exit')
  monitor.close()
  expect(
    text()
      .split('\n')
      .map((line) => line.slice(0, 42)),
  ).toEqual(['the disk of the broker is full: 64 KiB are', 'the broker stores nothing, see its last er', ''])
})

test.for([
  { what: 'it is well', answers: { full: 200, serverOnly: 200, held: 0 } },
  { what: 'it still reads its streams', answers: { full: 503, serverOnly: 503, held: 0 } },
])('the broker runs on while $what', async ({ answers }) => {
  const monitor = await startMonitor(answers)
  const { child, text } = start(patientProgram(), monitor.port, [])
  await expect.poll(monitor.asked, PATIENTLY).toBeGreaterThan(6)
  monitor.close()
  expect([child.exitCode, text()]).toEqual([null, ''])
})
