import { join } from 'node:path'
import type { Secrets } from './secrets.ts'
import { logsDir } from './servers/child.ts'
import { freePort } from './servers/free-port.ts'
import { findNatsServer } from './servers/nats-binary.ts'
import { type NatsOptions, startNatsServer } from './servers/nats-server.ts'
import { startPostgres } from './servers/postgres.ts'
import { ROOT } from './services.ts'

/** PostgreSQL and the broker of a stack. Stopping a given one does nothing. */
export type DatabaseServer = { url: string; pid: number | undefined; stop: () => Promise<void> }
export type BrokerServer = {
  url: string
  mqttUrl: string
  /** Of the current or last process. */
  readonly pid: number | undefined
  stop: (signal?: NodeJS.Signals) => Promise<void>
  /** Stops it, by default with SIGKILL, and starts it again on the same ports and streams. For tests. */
  restart: (signal?: NodeJS.Signals) => Promise<void>
}

/** A running broker. With `caFile`, connections to it are encrypted. */
export type GivenBroker = { url: string; mqttUrl: string; caFile?: string; replicas?: number }

export const postgresDir = (dataDir: string) => join(dataDir, 'postgres')
export const natsDir = (dataDir: string) => join(dataDir, 'nats')

type Options = { dataDir: string; secrets: Secrets; onNote: (note: string) => void }

/** An embedded PostgreSQL on the data of the stack, or the given one, left running at the end. */
export async function startDatabase(
  { dataDir, secrets, onNote }: Options,
  { given, durable }: { given: string | undefined; durable: boolean },
): Promise<DatabaseServer> {
  if (given !== undefined) return { url: given, pid: undefined, stop: async () => {} }
  const server = await startPostgres({
    dataDir: postgresDir(dataDir),
    password: secrets.postgres_password,
    durable,
    logFile: join(logsDir(dataDir), 'postgres.log'),
    onNote,
  })
  return { url: server.url(), pid: server.pid, stop: () => server.stop() }
}

/** A broker of our own on the data of the stack, or the given one, left running at the end. */
export async function startBroker(
  { dataDir, secrets, onNote }: Options,
  { given, ports }: { given: GivenBroker | undefined; ports: { nats?: number; mqtt?: number } },
): Promise<BrokerServer> {
  if (given)
    return { url: given.url, mqttUrl: given.mqttUrl, pid: undefined, stop: async () => {}, restart: notOurs }
  const options: NatsOptions = {
    binary: await findNatsServer({ cacheDir: join(ROOT, '.cache/nats-server'), onNote }),
    dataDir: natsDir(dataDir),
    secrets: secrets.nats,
    port: ports.nats ?? (await freePort()),
    mqttPort: ports.mqtt ?? (await freePort()),
    logFile: join(logsDir(dataDir), 'nats.log'),
    onNote,
  }
  let server = await startNatsServer(options)
  const { url, mqttUrl } = server
  return {
    url,
    mqttUrl,
    get pid() {
      return server.pid
    },
    stop: (signal) => server.stop(signal),
    async restart(signal = 'SIGKILL') {
      await server.stop(signal)
      server = await startNatsServer(options)
    },
  }
}

const notOurs = () => Promise.reject(new Error('a given broker cannot be restarted'))
