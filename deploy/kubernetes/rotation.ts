import { DATABASE_ROLES, generateSecrets, type DatabaseRole } from '../installation/secrets.ts'

/** The values of Secrets: by the name of the Secret, then by variable. */
export type SecretValues = Readonly<Record<string, Readonly<Record<string, string>>>>

/** What can be changed: passwords of the database roles, passwords of the broker's users, the key pair of the gateway. */
export const KINDS = ['database', 'broker', 'principal'] as const
export type Kind = (typeof KINDS)[number]

/** The Secrets of the servers. All others belong to services and steps. */
const SERVERS = new Set(['migrate', 'nats'])
const ROLE_OF: Readonly<Record<string, DatabaseRole>> = {
  ...Object.fromEntries(DATABASE_ROLES.map((role) => [role, role])),
  'webhook-dispatcher': 'webhooks',
}
/** Variables of services with a password of the broker, and the same password in the Secret of the brokers. */
const BROKER_PASSWORDS: Readonly<Record<string, string>> = {
  NATS_PASSWORD: 'SERVICES_PASSWORD',
  CALLOUT_PASSWORD: 'CALLOUT_PASSWORD',
  NATS_SYSTEM_PASSWORD: 'SYSTEM_PASSWORD',
}
const PRIVATE_KEY = 'PRINCIPAL_PRIVATE_KEY'
const PUBLIC_KEY = 'PRINCIPAL_PUBLIC_KEY'
/** Where the gateway's new key waits for the second step. */
const NEXT_PRIVATE_KEY = 'NEXT_PRINCIPAL_PRIVATE_KEY'
const PREVIOUS = 'previous_password'

/**
 * First step: services take the new values and the present ones. Throws if an earlier change has not ended, because a
 * third value has no place.
 */
export function takeBoth(secrets: SecretValues, kinds: readonly Kind[]): SecretValues {
  if (isChanging(secrets))
    throw new Error(
      'an earlier change has not ended. Go on with "use-new" and "drop-old". Nothing was changed',
    )
  const next = generateSecrets()
  const brokerPasswords: Record<string, string> = {
    NATS_PASSWORD: next.nats.services_password,
    CALLOUT_PASSWORD: next.nats.callout_password,
    NATS_SYSTEM_PASSWORD: next.nats.system_password,
  }
  const both = changeServices(secrets, (variable, value, name) => {
    const [role, brokerPassword] = [ROLE_OF[name], brokerPasswords[variable]]
    if (variable === 'DATABASE_URL' && role !== undefined && kinds.includes('database'))
      return withPrevious(value, next.database_passwords[role])
    if (brokerPassword !== undefined && kinds.includes('broker')) return `${brokerPassword},${value}`
    if (variable === PUBLIC_KEY && kinds.includes('principal')) return `${next.principal_public_key},${value}`
    return value
  })
  if (!kinds.includes('principal')) return both
  return { ...both, gateway: { ...both['gateway'], [NEXT_PRIVATE_KEY]: next.principal_private_key } }
}

/** Second step: database, brokers and gateway use the new values. Safe to repeat. */
export function useNew(secrets: SecretValues): SecretValues {
  const { migrate = {}, nats = {}, gateway = {} } = secrets
  const { [NEXT_PRIVATE_KEY]: nextKey, ...rest } = gateway
  const changed = {
    ...secrets,
    gateway: nextKey === undefined ? gateway : { ...rest, [PRIVATE_KEY]: nextKey },
  }
  return {
    ...changed,
    migrate: { ...migrate, ...newAddresses(secrets) },
    nats: { ...nats, ...newPasswords(secrets) },
  }
}

/** Third step: services take only the new values. Safe to repeat. Throws if the second step was left out. */
export function dropOld(secrets: SecretValues): SecretValues {
  if (!isSame(useNew(secrets), secrets))
    throw new Error(
      'database, brokers or gateway still have the old values: run "use-new" first. Nothing was changed',
    )
  return changeServices(secrets, (variable, value) => {
    if (variable === 'DATABASE_URL') return withoutPrevious(value)
    return variable in BROKER_PASSWORDS || variable === PUBLIC_KEY ? first(value) : value
  })
}

/** Whether services take two values of something. */
const isChanging = (secrets: SecretValues): boolean =>
  Object.entries(secrets).some(
    ([name, values]) =>
      !SERVERS.has(name) &&
      Object.entries(values).some(
        ([variable, value]) =>
          variable === NEXT_PRIVATE_KEY ||
          (variable === 'DATABASE_URL' && value !== withoutPrevious(value)) ||
          ((variable in BROKER_PASSWORDS || variable === PUBLIC_KEY) && value !== first(value)),
      ),
  )

type Change = (variable: string, value: string, secret: string) => string

function changeServices(secrets: SecretValues, change: Change): SecretValues {
  const changed = Object.entries(secrets).map(([name, values]) => {
    if (SERVERS.has(name)) return [name, values]
    const pairs = Object.entries(values).map(([variable, value]) => [variable, change(variable, value, name)])
    return [name, Object.fromEntries(pairs)]
  })
  return Object.fromEntries(changed) as SecretValues
}

/** The addresses in the Secret of the migration step, which sets the passwords of the roles. */
function newAddresses(secrets: SecretValues): Record<string, string> {
  const pairs = Object.entries(ROLE_OF).flatMap(([name, role]) => {
    const address = secrets[name]?.['DATABASE_URL']
    return address === undefined ? [] : [[`${role.toUpperCase()}_DATABASE_URL`, withoutPrevious(address)]]
  })
  return Object.fromEntries(pairs) as Record<string, string>
}

/** The passwords in the Secret of the brokers. */
function newPasswords(secrets: SecretValues): Record<string, string> {
  const { keys = {} } = secrets // holds all of them
  const pairs = Object.entries(BROKER_PASSWORDS).flatMap(([variable, name]) => {
    const value = keys[variable]
    return value === undefined ? [] : [[name, first(value)]]
  })
  return Object.fromEntries(pairs) as Record<string, string>
}

function withPrevious(address: string, password: string): string {
  const url = new URL(address)
  url.searchParams.set(PREVIOUS, decodeURIComponent(url.password))
  url.password = password
  return url.href
}

function withoutPrevious(address: string): string {
  const url = new URL(address)
  if (!url.searchParams.has(PREVIOUS)) return address
  url.searchParams.delete(PREVIOUS)
  return url.href
}

const first = (value: string): string => value.split(',')[0] ?? value

/** Independent of the order of the variables. */
function isSame(a: SecretValues, b: SecretValues): boolean {
  return Object.entries(a).every(([name, values]) =>
    Object.entries(values).every(([variable, value]) => b[name]?.[variable] === value),
  )
}
