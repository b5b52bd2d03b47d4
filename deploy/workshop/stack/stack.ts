import { join, resolve } from 'node:path'
import { migrateAll } from '../../database/migrations.ts'
import { DATABASE, createRoles } from '../../database/roles.ts'
import { applyBrokerTopology } from '../../installation/broker-topology.ts'
import { type Secrets, loadSecrets } from '../../installation/secrets.ts'
import { writeOpsEnv } from './ops-env.ts'
import { makePrivate } from './private-folder.ts'
import { freePorts, isPortFree } from '../servers/free-port.ts'
import { type ServiceControl, createServiceControl } from './service-process.ts'
import {
  SERVICES,
  type ServiceName,
  type ServicePorts,
  type Wiring,
  perService,
  presentServices,
  roleUrl,
  serviceEnvironment,
} from '../../installation/services.ts'
import { type MailCatcher, startMailCatcher } from '../servers/mail-catcher.ts'
import { stopLeftovers } from './leftovers.ts'
import { claimDataDir } from './stack-lock.ts'
import { removeStackRecord, writeStackRecord } from './stack-record.ts'
import {
  type BrokerServer,
  type DatabaseServer,
  type GivenBroker,
  startBroker,
  startDatabase,
} from './stack-servers.ts'
import { type Step, runStep } from './stack-steps.ts'

export type StackOptions = {
  /** Holds database, streams, secrets, logs and pid files. Created when missing, else resumed. */
  dataDir: string
  /** Exact ports; the start fails when one is taken. Default: free ones. */
  ports?: ExactPorts
  /** Default: every service of this checkout. */
  services?: readonly ServiceName[]
  /** Added to the environment of single services. */
  env?: Partial<Record<ServiceName, Record<string, string>>>
  /** False in tests only: PostgreSQL forces nothing to disk. Default true. */
  durable?: boolean
  /** Default: those of `dataDir`, created when missing. Required with a given broker. */
  secrets?: Secrets
  /** A running PostgreSQL 18: an administrator's address. Default: an embedded one. */
  postgresUrl?: string
  /** A running broker or cluster with the passwords of `secrets`. Default: a new broker with deploy/nats/nats.conf. */
  broker?: GivenBroker
  /** Default `whereabouts`. */
  database?: string
  onStep?: (step: Step) => void
  /** Called with notes for the user, such as a stopped leftover. */
  onNote?: (note: string) => void
}

export type Stack = {
  urls: {
    base: string
    nats: string
    mqtt: string
    /** Of the mail catcher: `GET /email` lists what was sent. */
    mail: string
    /** The administrator's address of the product's database server. */
    postgres: string
    /** Of `/healthz`, `/readyz`, `/metrics`. */
    ops: Record<ServiceName, string>
    /** Of each service, behind the gateway. */
    api: Record<ServiceName, string>
  }
  secrets: Secrets
  dataDir: string
  /** The started services. */
  services: Partial<Record<ServiceName, ServiceControl>>
  service(name: ServiceName): ServiceControl
  postgres: DatabaseServer
  broker: BrokerServer
  stop: () => Promise<void>
}

/**
 * Starts the product on this machine and resolves when every service is ready. Leftovers of an earlier run on
 * `dataDir` are stopped first. When a part fails, the others are stopped and the error names it.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = resolve(options.dataDir)
  makePrivate(dataDir, options.postgresUrl === undefined)
  const release = claimDataDir(dataDir)
  const started: (() => Promise<void>)[] = [] // in the order of their stop
  const stop = async () => {
    await started.reduce((before, stopPart) => before.then(stopPart), Promise.resolve())
    started.length = 0
    removeStackRecord(dataDir)
    release()
  }
  try {
    return await start({ ...options, dataDir }, started, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(
  options: StackOptions,
  stops: (() => Promise<void>)[],
  stop: Stack['stop'],
): Promise<Stack> {
  const { dataDir, database = DATABASE, onStep = () => {}, onNote = () => {} } = options
  await stopLeftovers(dataDir, onNote)
  await checkPorts(options.ports)
  const secrets = options.secrets ?? loadSecrets(join(dataDir, 'secrets.json'))
  const ports = await choosePorts(options.ports?.base)
  const { postgres, broker } = await startServers({ ...options, database }, secrets, stops)
  const mail = await startMailCatcher(options.ports?.mail)
  stops.push(mail.stop)
  const addresses = {
    postgresUrl: postgres.url,
    natsUrl: broker.url,
    mqttUrl: broker.mqttUrl,
    natsCaFile: options.broker?.caFile,
    smtpUrl: mail.smtpUrl,
  }
  const wiring: Wiring = { secrets, ports, database, ...addresses }
  writeOpsEnv(dataDir, wiring)
  const services = createControls(options, wiring)
  writeStackRecord(dataDir, {
    started_at: new Date().toISOString(),
    base: `http://127.0.0.1:${ports.gateway.api}`,
    nats: broker.url,
    mqtt: broker.mqttUrl,
    postgres: options.postgresUrl === undefined ? new URL(postgres.url).host : null,
    ops: Object.fromEntries(services.map(({ name }) => [name, `http://127.0.0.1:${ports[name].ops}`])),
  })
  stops.unshift(async () => {
    await Promise.all(services.map((service) => service.stop()))
  })
  await runStep(`Services ${services.map(({ name }) => name).join(', ')}`, onStep, async () => {
    for (const service of services) service.start()
    await Promise.all(services.map((service) => service.waitReady()))
  })
  return describe({ dataDir, wiring, postgres, broker, mail, services, stop })
}

async function choosePorts(base: number | undefined): Promise<ServicePorts> {
  const free = await freePorts(SERVICES.length * 2)
  const next = () => free.pop() ?? Number.NaN
  const ports = perService(() => ({ api: next(), ops: next() }))
  return base === undefined ? ports : { ...ports, gateway: { ...ports.gateway, api: base } }
}

/** Starts the database with roles and schemas, and the broker with streams, in parallel. */
async function startServers(
  options: StackOptions & { database: string },
  secrets: Secrets,
  stops: Stack['stop'][],
) {
  const { dataDir, database, durable = true, ports = {}, onStep = () => {}, onNote = () => {} } = options
  const common = { dataDir, secrets, onNote }
  const prepareDatabase = async () => {
    const given = { given: options.postgresUrl, durable }
    const postgres = await runStep('PostgreSQL', onStep, () => startDatabase(common, given))
    stops.push(postgres.stop)
    await runStep('Database roles and migrations', onStep, async () => {
      await createRoles(postgres.url, secrets.database_passwords, database)
      const ran = await migrateAll((role) => roleUrl(role, { secrets, postgresUrl: postgres.url, database }))
      if (ran.length > 0) onNote(`migrated ${ran.join(', ')}`)
    })
    return postgres
  }
  const prepareBroker = async () => {
    const given = { given: options.broker, ports }
    const broker = await runStep('nats-server', onStep, () => startBroker(common, given))
    stops.push(() => broker.stop())
    const { caFile, replicas = 1 } = options.broker ?? {}
    const login = { url: broker.url, user: 'services', password: secrets.nats.services_password }
    const encrypted = { ...login, ...(caFile !== undefined && { tls: { caFile } }) }
    await runStep('Streams and consumers', onStep, () => applyBrokerTopology(encrypted, { replicas }))
    return broker
  }
  // Awaits both even when one fails, so that `stops` knows both servers.
  const [postgres, broker] = await Promise.allSettled([prepareDatabase(), prepareBroker()])
  if (postgres.status === 'rejected') throw postgres.reason
  if (broker.status === 'rejected') throw broker.reason
  return { postgres: postgres.value, broker: broker.value }
}

function createControls({ dataDir, services = presentServices(), env = {} }: StackOptions, wiring: Wiring) {
  return services.map((name) =>
    createServiceControl({
      name,
      env: { ...serviceEnvironment(name, wiring), ...env[name] },
      opsUrl: `http://127.0.0.1:${wiring.ports[name].ops}`,
      dataDir,
    }),
  )
}

type Parts = {
  dataDir: string
  wiring: Wiring
  postgres: DatabaseServer
  broker: BrokerServer
  mail: MailCatcher
  services: ServiceControl[]
  stop: Stack['stop']
}

function describe({ dataDir, wiring, postgres, broker, mail, services, stop }: Parts): Stack {
  const { ports, secrets } = wiring
  const urls = (kind: 'api' | 'ops') => perService((name) => `http://127.0.0.1:${ports[name][kind]}`)
  const controls: Stack['services'] = Object.fromEntries(services.map((service) => [service.name, service]))
  return {
    urls: {
      base: urls('api').gateway,
      nats: broker.url,
      mqtt: broker.mqttUrl,
      mail: mail.url,
      postgres: postgres.url,
      ops: urls('ops'),
      api: urls('api'),
    },
    secrets,
    dataDir,
    services: controls,
    service(name) {
      const control = controls[name]
      if (!control) throw new Error(`the stack was started without ${name}`)
      return control
    },
    postgres,
    broker,
    stop,
  }
}

/** `base` is the gateway's. */
type ExactPorts = { base?: number; nats?: number; mqtt?: number; mail?: number }

const VARIABLES = { base: 'PORT', nats: 'NATS_PORT', mqtt: 'MQTT_PORT', mail: 'MAIL_PORT' } as const

/** Throws one error that names every taken port and the variable that changes it. */
async function checkPorts(ports: ExactPorts = {}): Promise<void> {
  const checks = (['base', 'nats', 'mqtt', 'mail'] as const).map((name) =>
    problemOf(VARIABLES[name], ports[name]),
  )
  const problems = (await Promise.all(checks)).filter((problem) => problem !== undefined)
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

async function problemOf(variable: string, port: number | undefined): Promise<string | undefined> {
  if (port === undefined || (await isPortFree(port))) return undefined
  return `port ${port} is taken: stop the program that listens there (lsof -i :${port}), or set ${variable}=${port + 1000}`
}
