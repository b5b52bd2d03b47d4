import { join } from 'node:path'
import type { Secrets } from './secrets.ts'
import { findNatsServer } from './servers/nats-binary.ts'
import { startNatsServer } from './servers/nats-server.ts'
import { startPostgres } from './servers/postgres.ts'
import { ROOT } from './services.ts'

/** PostgreSQL and the broker of a stack: ours to stop, or somebody else's. */
export type DatabaseServer = { url: string; pid: number | undefined; stop: () => Promise<void> }
export type BrokerServer = {
  url: string
  mqttUrl: string
  pid: number | undefined
  stop: (signal?: NodeJS.Signals) => Promise<void>
}

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
    logFile: join(dataDir, 'logs/postgres.log'),
    onNote,
  })
  return { url: server.url(), pid: server.pid, stop: () => server.stop() }
}

/** A broker of our own on the data of the stack, or the given one, left running at the end. */
export async function startBroker(
  { dataDir, secrets, onNote }: Options,
  {
    given,
    ports,
  }: { given: { url: string; mqttUrl: string } | undefined; ports: { nats?: number; mqtt?: number } },
): Promise<BrokerServer> {
  if (given) return { ...given, pid: undefined, stop: async () => {} }
  const binary = await findNatsServer({ cacheDir: join(ROOT, '.cache/nats-server'), onNote })
  return startNatsServer({
    binary,
    dataDir: natsDir(dataDir),
    secrets: secrets.nats,
    ...(ports.nats !== undefined && { port: ports.nats }),
    ...(ports.mqtt !== undefined && { mqttPort: ports.mqtt }),
    logFile: join(dataDir, 'logs/nats.log'),
    onNote,
  })
}
