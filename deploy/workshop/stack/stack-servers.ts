import { join } from 'node:path'
import type { Secrets } from '../../installation/secrets.ts'
import { logsDir } from '../servers/child.ts'
import { freePort, isPortFree } from '../servers/free-port.ts'
import { findNatsServer } from '../downloads/nats-binary.ts'
import { type NatsOptions, startNatsServer } from '../servers/nats-server.ts'
import { type PostgresOptions, startPostgres } from '../servers/postgres.ts'
import { recordProcess } from '../servers/process-record.ts'
import { ROOT } from '../../installation/services.ts'
import { runFile } from './stack-record.ts'

/** PostgreSQL and the broker of a stack. Stopping a given one does nothing. */
export type DatabaseServer = {
  url: string
  /** Of the current or last process. */
  readonly pid: number | undefined
  stop: () => Promise<void>
  /** Starts it again on the same port and data, after it has ended. */
  startAgain: () => Promise<void>
  /** Resolves when the current process ends, with the reason. Never for a given server. */
  ended: () => Promise<string>
}
export type BrokerServer = {
  url: string
  mqttUrl: string
  /** Of the current or last process. */
  readonly pid: number | undefined
  /** Where it tells about itself, without a password. Undefined for a given broker. */
  readonly monitorUrl: string | undefined
  /** Resolves when the current process ends, with the reason. Never for a given broker. */
  ended: () => Promise<string>
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
  if (given !== undefined)
    return { url: given, pid: undefined, stop: async () => {}, startAgain: notOurs, ended: never }
  const options: PostgresOptions = {
    dataDir: postgresDir(dataDir),
    password: secrets.postgres_password,
    durable,
    logFile: join(logsDir(dataDir), 'postgres.log'),
    onNote,
  }
  const start = async (at: Partial<PostgresOptions> = {}) => {
    const started = await startPostgres({ ...options, ...at })
    recordProcess(runFile(dataDir, 'postgres.pid'), started.pid) // for `npm run status`
    return started
  }
  let server = await start()
  const { port } = server
  return {
    url: server.url(),
    get pid() {
      return server.pid
    },
    stop: () => server.stop(),
    ended: () => server.ended(),
    async startAgain() {
      // The services know the port, so another one is of no use.
      if (!(await isPortFree(port))) throw new Error(`port ${port} is taken by another program`)
      server = await start({ port })
    },
  }
}

/** A broker of our own on the data of the stack, or the given one, left running at the end. */
export async function startBroker(
  { dataDir, secrets, onNote }: Options,
  { given, ports }: { given: GivenBroker | undefined; ports: { nats?: number; mqtt?: number } },
): Promise<BrokerServer> {
  if (given) return { ...NOT_OURS, url: given.url, mqttUrl: given.mqttUrl }
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
    get monitorUrl() {
      return server.monitorUrl
    },
    ended: () => server.ended(),
    stop: (signal) => server.stop(signal),
    async restart(signal = 'SIGKILL') {
      await server.stop(signal)
      server = await startNatsServer(options)
    },
  }
}

const notOurs = () => Promise.reject(new Error('a given server cannot be restarted'))
const never = () => new Promise<string>(() => {})
const NOT_OURS = {
  pid: undefined,
  monitorUrl: undefined,
  stop: async () => {},
  restart: notOurs,
  ended: never,
}
