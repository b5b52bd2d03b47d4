import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { databaseUrl } from '../database/roles.ts'
import type { DatabaseRole, Secrets } from './secrets.ts'

export const ROOT = resolve(import.meta.dirname, '../..')

/** In the order of the start screen. They start together. */
export const SERVICES = ['keys', 'catalog', 'tracking', 'webhook-dispatcher', 'gateway', 'console'] as const
export type ServiceName = (typeof SERVICES)[number]

/** One value for each service. */
export function perService<T>(make: (name: ServiceName) => T): Record<ServiceName, T> {
  return {
    keys: make('keys'),
    catalog: make('catalog'),
    tracking: make('tracking'),
    'webhook-dispatcher': make('webhook-dispatcher'),
    gateway: make('gateway'),
    console: make('console'),
  }
}

/** The role and schema of each service that owns data. */
export const ROLES: Partial<Record<ServiceName, DatabaseRole>> = {
  gateway: 'gateway',
  catalog: 'catalog',
  tracking: 'tracking',
  keys: 'keys',
  'webhook-dispatcher': 'webhooks',
}

export type ServicePorts = Record<ServiceName, { api: number; ops: number }>

/** The values behind the environments of the services. */
export type Wiring = {
  secrets: Secrets
  ports: ServicePorts
  /** The address of an administrator. The services get addresses of their own roles. */
  postgresUrl: string
  database: string
  natsUrl: string
  /** The MQTT address shown to users, if any. */
  mqttUrl?: string | undefined
  /** Where mails go; without it none is sent. */
  smtpUrl?: string | undefined
  /** Set where connections to the broker are encrypted. */
  natsCaFile?: string | undefined
}

export function serviceMain(name: ServiceName, root = ROOT): string {
  return join(root, 'services', name, 'src/main.ts')
}

export function migrationFolder(name: ServiceName): string {
  return join(ROOT, 'services', name, 'migrations')
}

/** The services of this checkout. */
export function presentServices(): ServiceName[] {
  return SERVICES.filter((name) => existsSync(serviceMain(name)))
}

/** The environment of one service, without inherited variables. */
export function serviceEnvironment(name: ServiceName, wiring: Wiring): Record<string, string> {
  const { api, ops } = wiring.ports[name]
  const common = { ENVIRONMENT: 'local', HOST: '127.0.0.1', PORT: String(api), OPS_PORT: String(ops) }
  return { ...common, ...databaseEnvironment(name, wiring), ...OWN[name](wiring) }
}

/** The role's own address; a service without a role has no database. */
export function roleUrl(
  role: DatabaseRole,
  { secrets, postgresUrl, database }: Pick<Wiring, 'secrets' | 'postgresUrl' | 'database'>,
): string {
  return databaseUrl(postgresUrl, database, { name: role, password: secrets.database_passwords[role] })
}

function databaseEnvironment(name: ServiceName, wiring: Wiring): Record<string, string> {
  const role = ROLES[name]
  return role ? { DATABASE_URL: roleUrl(role, wiring) } : {}
}

const broker = ({ natsUrl, natsCaFile, secrets }: Wiring) => ({
  NATS_URL: natsUrl,
  ...(natsCaFile !== undefined && { NATS_CA_FILE: natsCaFile }),
  NATS_USER: 'services',
  NATS_PASSWORD: secrets.nats.services_password,
})

const principal = ({ secrets }: Wiring) => ({ PRINCIPAL_PUBLIC_KEY: secrets.principal_public_key })

const OWN: Record<ServiceName, (wiring: Wiring) => Record<string, string>> = {
  gateway: (wiring) => ({
    ...broker(wiring),
    ...principal(wiring),
    PRINCIPAL_PRIVATE_KEY: wiring.secrets.principal_private_key,
    CATALOG_URL: apiUrl('catalog', wiring),
    TRACKING_URL: apiUrl('tracking', wiring),
    KEYS_URL: apiUrl('keys', wiring),
    WEBHOOK_DISPATCHER_URL: apiUrl('webhook-dispatcher', wiring),
    CONSOLE_URL: apiUrl('console', wiring),
    PUBLIC_URL: apiUrl('gateway', wiring),
    TRUSTED_PROXIES: 'none',
  }),
  catalog: (wiring) => ({ ...broker(wiring), ...principal(wiring) }),
  tracking: (wiring) => ({ ...broker(wiring), ...principal(wiring) }),
  keys: (wiring) => ({
    ...broker(wiring),
    ...principal(wiring),
    SIGNING_KEY_SECRET: wiring.secrets.signing_key_secret,
    CALLOUT_PASSWORD: wiring.secrets.nats.callout_password,
    CALLOUT_ISSUER_SEED: wiring.secrets.nats.callout_issuer_seed,
    CALLOUT_XKEY_SEED: wiring.secrets.nats.callout_xkey_seed,
    NATS_SYSTEM_PASSWORD: wiring.secrets.nats.system_password,
    PUBLIC_URL: apiUrl('gateway', wiring),
    ...(wiring.smtpUrl !== undefined && { SMTP_URL: wiring.smtpUrl }),
  }),
  'webhook-dispatcher': (wiring) => ({
    ...broker(wiring),
    ...principal(wiring),
    WEBHOOK_SECRET_KEYS: wiring.secrets.webhook_secret_keys,
    ALLOW_PRIVATE_TARGETS: 'true', // for receivers on this machine
  }),
  console: (wiring) => ({
    KEYS_URL: apiUrl('keys', wiring),
    PUBLIC_URL: apiUrl('gateway', wiring),
    READER_NATS_URL: wiring.natsUrl,
    ...(wiring.mqttUrl !== undefined && { READER_MQTT_URL: wiring.mqttUrl }),
  }),
}

function apiUrl(name: ServiceName, { ports }: Wiring): string {
  return `http://127.0.0.1:${ports[name].api}`
}
