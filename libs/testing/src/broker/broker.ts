import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { BROKER_RELEASE } from '@whereabouts/messaging/connect/broker-version'
import { createCalloutKeys, type CalloutKeys } from '@whereabouts/messaging/readers/nkeys'

export type Credentials = { user: string; password: string }
export type BrokerUser = 'services' | 'mqtt-services' | 'callout' | 'system'

/** A nats-server for tests, with its own ports and store. */
export type TestBroker = {
  url: string
  /** For MQTT 3.1.1. */
  mqttUrl: string
  monitorUrl: string
  /** The folder of its streams. */
  store: string
  /** The users of nats.conf, in the accounts APP, MQTT, AUTH and SYS. */
  users: Record<BrokerUser, Credentials>
  calloutKeys: CalloutKeys
  /** Sends SIGKILL: data that is not on disk is lost, and clients see a reset. */
  kill(): Promise<void>
  /**
   * Starts it again, after `kill` if it still runs: same ports, same store, always the configuration of the product.
   * With `servicesPassword`, that is from then on the password of services.
   */
  restart(servicesPassword?: string): Promise<void>
  /** Stops it and removes its store. */
  stop(): Promise<void>
}

export type BrokerOptions = {
  /** Replaces the configuration of the product. `$NATS_PORT` and the other variables are filled in too. */
  config?: string
  /** With the mapping of partitions (deploy/nats/partitioned.conf). */
  partitioned?: boolean
}

const REPOSITORY = resolve(import.meta.dirname, '../../../..')
const PRODUCT_CONFIG = join(REPOSITORY, 'deploy/nats/nats.conf')
const CACHE = join(REPOSITORY, '.cache/nats-server')

/** A configuration with what it includes of the product in place, because paths of includes are relative. */
const withIncludes = (config: string, partitioned: boolean): string =>
  config.replaceAll(/include "(.+)"/g, (_, name: string) =>
    readFileSync(
      join(PRODUCT_CONFIG, '..', partitioned ? name.replace('partitions', 'partitioned') : name),
      'utf8',
    ),
  )

/** Starts a nats-server on free loopback ports and waits until JetStream answers. */
export async function startBroker({
  partitioned = false,
  config = partitioned ? readFileSync(PRODUCT_CONFIG, 'utf8') : undefined,
}: BrokerOptions = {}): Promise<TestBroker> {
  const home = mkdtempSync(join(tmpdir(), 'broker-'))
  const [port = 0, mqttPort = 0, monitorPort = 0] = await freePorts(3)
  const calloutKeys = createCalloutKeys()
  const services = login('services')
  const users = {
    services,
    'mqtt-services': { ...services, user: 'mqtt-services' },
    callout: login('callout'),
    system: login('system'),
  }
  const configFile = config === undefined ? PRODUCT_CONFIG : join(home, 'nats.conf')
  if (config !== undefined) writeFileSync(configFile, withIncludes(config, partitioned))
  const env = {
    NATS_SERVER_NAME: `test-${port}`,
    NATS_HOST: '127.0.0.1',
    NATS_PORT: String(port),
    NATS_MONITOR: `127.0.0.1:${monitorPort}`,
    NATS_MONITOR_PATH: '/',
    NATS_STORE_DIR: 'jetstream',
    NATS_MAX_FILE_STORE: '-1',
    MQTT_PORT: String(mqttPort),
    CALLOUT_PASSWORD: users.callout.password,
    SERVICES_PASSWORD: users.services.password,
    SYSTEM_PASSWORD: users.system.password,
    CALLOUT_ISSUER: calloutKeys.issuer,
    CALLOUT_XKEY: calloutKeys.xkey,
  }
  const monitorUrl = `http://127.0.0.1:${monitorPort}`
  const start = (file: string) => startProcess(['-c', file], { cwd: home, env, monitorUrl })
  let server = await start(configFile)
  return {
    url: `nats://127.0.0.1:${port}`,
    mqttUrl: `mqtt://127.0.0.1:${mqttPort}`,
    monitorUrl,
    store: join(home, 'jetstream'),
    users,
    calloutKeys,
    kill: () => endProcess(server),
    async restart(servicesPassword) {
      await endProcess(server)
      if (servicesPassword !== undefined) env.SERVICES_PASSWORD = servicesPassword
      server = await start(partitioned ? configFile : PRODUCT_CONFIG)
    },
    async stop() {
      await endProcess(server)
      rmSync(home, { recursive: true, force: true })
    },
  }
}

// Starts with a letter, because nats.conf could read another secret as a number or a size.
const login = (user: string): Credentials => ({ user, password: `p${randomBytes(12).toString('hex')}` })

type Place = { cwd: string; env: Record<string, string>; monitorUrl: string }

async function startProcess(args: readonly string[], { cwd, env, monitorUrl }: Place): Promise<ChildProcess> {
  const child = spawn(findBinary(), args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-4_000)
  })
  // A test run that ends early must not leave servers behind.
  const killWithUs = () => child.kill('SIGKILL')
  process.once('exit', killWithUs)
  child.once('exit', () => process.off('exit', killWithUs))
  await untilHealthy(child, monitorUrl, () => log)
  return child
}

async function untilHealthy(child: ChildProcess, monitorUrl: string, log: () => string): Promise<void> {
  const giveUpAt = Date.now() + 15_000
  while (child.exitCode === null && Date.now() < giveUpAt) {
    if (await isHealthy(monitorUrl)) return
    await delay(20)
  }
  await endProcess(child)
  throw new Error(`nats-server did not start:\n${log()}`)
}

async function isHealthy(monitorUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${monitorUrl}/healthz`, { signal: AbortSignal.timeout(1_000) })).ok
  } catch {
    return false // not listening yet
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

// Below the ports of outgoing connections, which could take a port between our check and the start of the server, and
// above 10080, which fetch refuses. Test workers have different pids, so each uses different ports.
const FIRST_PORT = 11_000
const PORTS_PER_WORKER = 100
let nextPort = 0

async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = FIRST_PORT + (process.pid % 80) * PORTS_PER_WORKER + (nextPort % PORTS_PER_WORKER)
    nextPort += 1
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true })
  const free = await once(server, 'listening').then(
    () => true,
    () => false, // rejects with the server's error
  )
  if (free) await once(server.close(), 'close')
  return free
}

/** `WB_TEST_NATS_BIN`, else the binary that `npm test` fetched into the project's cache. */
function findBinary(): string {
  const given = process.env['WB_TEST_NATS_BIN']
  if (given) return given
  const cached = join(CACHE, BROKER_RELEASE, 'nats-server')
  if (isExecutable(cached)) return cached
  throw new Error(`no nats-server ${BROKER_RELEASE} found: run the tests with npm test, which fetches it`)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
