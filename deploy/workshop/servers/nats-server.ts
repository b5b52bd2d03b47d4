import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FULL_BELOW_BYTES, freeBytes, storeLimit } from './broker-storage.ts'
import { endOf, hasEnded, lastLines, spawnLogged, stopChild } from './child.ts'
import { freePort } from './free-port.ts'
import { guardChild } from './guard.ts'
import { poll } from './poll.ts'
import { recordProcess, stopRecordedProcess } from './process-record.ts'
import { putFirst } from './put-first.ts'

/** The configuration of the broker, with values from the environment. */
const NATS_CONF = resolve(import.meta.dirname, '../../nats/nats.conf')
/** The configuration of a cluster member, with encrypted connections. */
const CLUSTER_CONF = resolve(import.meta.dirname, '../../nats/cluster.conf')

/** Long, because after a crash it reads large streams before it answers. A broker that ends fails at once. */
const START_SECONDS = 300
const STORE = 'jetstream'
const STOP_SECONDS = 10

/** Secrets of the broker. Of the callout's keys it has the public halves only. */
export type NatsSecrets = {
  callout_password: string
  services_password: string
  system_password: string
  callout_issuer: string
  callout_xkey: string
}

export type NatsOptions = {
  /** Path of nats-server, see `findNatsServer`. */
  binary: string
  /** Holds streams and pid file. Created when missing, else reused. */
  dataDir: string
  secrets: NatsSecrets
  /** Exact ports. Default: free ones. */
  port?: number
  mqttPort?: number
  /** Default: `nats.log` in `dataDir`. */
  logFile?: string
  /** Called with notes for the user, such as a stopped leftover. */
  onNote?: (note: string) => void
  /** For a member of a cluster, see `startNatsCluster`. */
  member?: ClusterMembership
}

export type ClusterMembership = {
  name: string
  /** The port for the other brokers. */
  port: number
  /** The ports of all brokers. */
  ports: readonly number[]
  /** File names in `dataDir`. */
  tls: { certFile: string; keyFile: string; caFile: string }
}

export type NatsServer = {
  url: string
  mqttUrl: string
  monitorUrl: string
  pid: number
  /** Resolves when it has ended, with the reason. */
  ended(): Promise<string>
  /** Stops the broker; SIGKILL is for tests of crashes. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts nats-server on the loopback interface and waits until it answers, JetStream included. */
export async function startNatsServer(options: NatsOptions): Promise<NatsServer> {
  const { binary, dataDir, secrets, onNote = () => {} } = options
  const pidFile = natsPidFile(dataDir)
  const logFile = options.logFile ?? join(dataDir, 'nats.log')
  mkdirSync(join(dataDir, STORE), { recursive: true, mode: 0o700 })
  const leftover = await stopLeftoverNats(dataDir)
  if (leftover !== undefined) onNote(`stopped nats-server left over from a killed run (pid ${leftover})`)
  const port = options.port ?? (await freePort())
  const mqttPort = options.mqttPort ?? (await freePort())
  const monitorPort = await freePort()
  // The monitor has no password, so other users of this machine must not guess its path.
  const monitorPath = `/${randomBytes(16).toString('hex')}`
  const { member } = options
  const env = {
    ...natsEnvironment({ secrets, host: '127.0.0.1', port, mqttPort, monitorPort, monitorPath }),
    NATS_MAX_FILE_STORE: String(storeLimit(dataDir, STORE)),
    ...(member && memberEnvironment(member)),
  }
  const child = spawnLogged(binary, ['-c', member ? CLUSTER_CONF : NATS_CONF], logFile, {
    cwd: dataDir, // the store is relative: nats.conf cannot read a path with a space from the environment
    detached: true, // Ctrl-C goes to the launcher, which stops everything in order
    env: { ...process.env, ...env },
  })
  putFirst(child)
  guardChild(child, 'TERM')
  if (child.pid !== undefined) recordProcess(pidFile, child.pid)
  const monitorUrl = `http://127.0.0.1:${monitorPort}${monitorPath}`
  writeFileSync(natsMonitorFile(dataDir), `${monitorUrl}\n`, { mode: 0o600 })
  const pid = await untilHealthy(child, { monitorUrl, logFile, dataDir })
  return {
    url: `nats://127.0.0.1:${port}`,
    mqttUrl: `mqtt://127.0.0.1:${mqttPort}`,
    monitorUrl,
    pid,
    ended: () => endOf(child),
    async stop(signal = 'SIGTERM') {
      await stopChild(child, signal, STOP_SECONDS * 1000)
      rmSync(pidFile, { force: true })
      rmSync(natsMonitorFile(dataDir), { force: true })
    },
  }
}

/** Stops the broker that a killed run left on this data. Returns its pid, if any. */
export function stopLeftoverNats(dataDir: string): Promise<number | undefined> {
  return stopRecordedProcess(natsPidFile(dataDir), 'SIGTERM', STOP_SECONDS * 1000)
}

export function natsPidFile(dataDir: string): string {
  return join(dataDir, 'nats.pid')
}

/** Holds the address of the monitor, for `npm run status`. */
export function natsMonitorFile(dataDir: string): string {
  return join(dataDir, 'nats.monitor')
}

type Place = {
  secrets: NatsSecrets
  host: string
  port: number
  mqttPort: number
  monitorPort: number
  monitorPath: string
}

/** The values of `nats.conf`. */
function natsEnvironment(place: Place): Record<string, string> {
  const { secrets, host, port, mqttPort, monitorPort, monitorPath } = place
  return {
    NATS_SERVER_NAME: 'nats-0',
    NATS_HOST: host,
    NATS_PORT: String(port),
    NATS_MONITOR: `127.0.0.1:${monitorPort}`,
    NATS_MONITOR_PATH: monitorPath,
    NATS_STORE_DIR: STORE,
    MQTT_PORT: String(mqttPort),
    CALLOUT_PASSWORD: secrets.callout_password,
    SERVICES_PASSWORD: secrets.services_password,
    SYSTEM_PASSWORD: secrets.system_password,
    CALLOUT_ISSUER: secrets.callout_issuer,
    CALLOUT_XKEY: secrets.callout_xkey,
  }
}

/** The values of `cluster.conf`. */
const memberEnvironment = ({ name, port, ports, tls }: ClusterMembership) => ({
  NATS_SERVER_NAME: name,
  NATS_CLUSTER_HOST: '127.0.0.1',
  NATS_CLUSTER_PORT: String(port),
  NATS_ROUTES: `[${ports.map((other) => `nats://127.0.0.1:${other}`).join(', ')}]`,
  NATS_CERT_FILE: tls.certFile,
  NATS_KEY_FILE: tls.keyFile,
  NATS_CA_FILE: tls.caFile,
})

async function untilHealthy(
  child: ChildProcess,
  { monitorUrl, logFile, dataDir }: { monitorUrl: string; logFile: string; dataDir: string },
): Promise<number> {
  const check = async () => {
    if (hasEnded(child)) throw new Error(whyEnded(dataDir, logFile))
    return (await isHealthy(monitorUrl)) ? child.pid : undefined
  }
  const pid = await poll(check, { everyMs: 25, timeoutMs: START_SECONDS * 1000 })
  if (pid !== undefined) return pid
  await stopChild(child, 'SIGTERM', STOP_SECONDS * 1000)
  throw new Error(`nats-server was not healthy after ${START_SECONDS} s:\n${lastLines(logFile, 8)}`)
}

function whyEnded(dataDir: string, logFile: string): string {
  return freeBytes(dataDir) < FULL_BELOW_BYTES
    ? `the disk of ${dataDir} is full, free space there`
    : `nats-server did not start:\n${lastLines(logFile, 8)}`
}

async function isHealthy(monitorUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${monitorUrl}/healthz`, { signal: AbortSignal.timeout(1000) })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false // not listening yet
  }
}
