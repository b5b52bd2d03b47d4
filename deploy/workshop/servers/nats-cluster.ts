import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from './free-port.ts'
import { type NatsOptions, type NatsSecrets, type NatsServer, startNatsServer } from './nats-server.ts'

/** PEM texts: a certificate for 127.0.0.1, for servers and clients, its key and its CA. */
export type ClusterCertificate = { cert: string; key: string; ca: string }

export type ClusterOptions = {
  /** Path of nats-server, see `findNatsServer`. */
  binary: string
  /** Gets a folder per broker. */
  dataDir: string
  secrets: NatsSecrets
  certificate: ClusterCertificate
}

export type ClusterMember = {
  /** Its server name. */
  name: string
  url: string
  mqttUrl: string
  /** Of the current or last process. */
  readonly monitorUrl: string
  /** SIGKILL is a crash. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /**
   * After `stop`: the same ports, the same data. Resolves when it has caught up with the others. `secrets` replace those
   * that it had.
   */
  start(secrets?: NatsSecrets): Promise<void>
}

export type NatsCluster = {
  /** The addresses of all brokers, separated by commas. */
  url: string
  /** PEM file of the CA for clients. */
  caFile: string
  members: readonly ClusterMember[]
  stop(): Promise<void>
}

const SIZE = 3
const FILES = { certFile: 'cert.pem', keyFile: 'key.pem', caFile: 'ca.pem' }

/** Three brokers on the loopback interface with deploy/nats/cluster.conf. Resolves when they have joined. */
export async function startNatsCluster(options: ClusterOptions): Promise<NatsCluster> {
  const ports = await freePorts(SIZE * 3)
  const routes = ports.splice(0, SIZE)
  const prepared = routes.map((port, i) =>
    memberOptions(
      options,
      `nats-${i}`,
      { port, ports: routes },
      { port: ports.pop(), mqttPort: ports.pop() },
    ),
  )
  const members = await startAll(prepared)
  return {
    url: members.map(({ url }) => url).join(','),
    caFile: join(options.dataDir, 'nats-0', FILES.caFile),
    members,
    async stop() {
      await Promise.all(members.map((member) => member.stop()))
    },
  }
}

function memberOptions(
  { binary, dataDir: home, secrets, certificate }: ClusterOptions,
  name: string,
  route: { port: number; ports: readonly number[] },
  ports: { port: number | undefined; mqttPort: number | undefined },
): NatsOptions & { name: string } {
  const dataDir = join(home, name)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(join(dataDir, FILES.certFile), certificate.cert)
  writeFileSync(join(dataDir, FILES.keyFile), certificate.key, { mode: 0o600 })
  writeFileSync(join(dataDir, FILES.caFile), certificate.ca)
  const given = { port: ports.port ?? 0, mqttPort: ports.mqttPort ?? 0 }
  return { binary, dataDir, secrets, ...given, name, member: { name, ...route, tls: FILES } }
}

/** In parallel, because one alone never becomes healthy. When one fails, the others are stopped. */
async function startAll(prepared: readonly (NatsOptions & { name: string })[]): Promise<ClusterMember[]> {
  const outcomes = await Promise.allSettled(prepared.map((each) => startMember(each)))
  const members = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (!failed) return members
  await Promise.all(members.map((member) => member.stop()))
  throw failed.reason
}

async function startMember(options: NatsOptions & { name: string }): Promise<ClusterMember> {
  let server: NatsServer = await startNatsServer(options)
  const { url, mqttUrl } = server
  return {
    name: options.name,
    url: url.replace('nats:', 'tls:'),
    mqttUrl: mqttUrl.replace('mqtt:', 'mqtts:'),
    get monitorUrl() {
      return server.monitorUrl
    },
    stop: (signal) => server.stop(signal),
    async start(secrets = options.secrets) {
      server = await startNatsServer({ ...options, secrets })
    },
  }
}
