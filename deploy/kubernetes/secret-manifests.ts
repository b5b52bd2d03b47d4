import { databaseUrl } from '../database/roles.ts'
import type { DatabaseRole, Secrets } from '../installation/secrets.ts'

/** The server of `k8s/components/postgres` and the CA that the operator creates for it. */
const OWN_SERVER = 'postgresql://postgres-rw:5432/postgres'
/** The second server of `k8s/overlays/large`. */
const TRACKING_SERVER = 'postgresql://postgres-tracking-rw:5432/postgres'
/** The server of `k8s/overlays/try`, which has no encryption. */
const PLAIN_SERVER = 'postgresql://postgres:5432/postgres'
const OWN_CA = '/etc/postgres-ca/ca.crt'
const TRACKING_CA = '/etc/postgres-tracking-ca/ca.crt'
const SUPERUSER = 'postgres'

export type Installation = {
  namespace: string
  /** An administrator of an outside server. Default: the server of `k8s/components/postgres`. */
  adminUrl?: string | undefined
  /** The server of `k8s/overlays/try` instead. */
  plain?: boolean | undefined
  /** Tracking has the second server of `k8s/overlays/large`. */
  large?: boolean | undefined
  /** The name of our database. */
  database: string
  /** Where mails go. Without it none is sent. */
  smtpUrl?: string | undefined
  /** Of the provider of single sign-on. */
  oidcClientSecret?: string | undefined
  /** Credentials of the store for backups. */
  backups?: { accessKeyId: string; secretAccessKey: string } | undefined
}

export type SecretManifest = {
  apiVersion: 'v1'
  kind: 'Secret'
  metadata: { name: string; namespace: string; labels?: Record<string, string> }
  type: string
  stringData: Record<string, string>
}

/** Every Secret that the manifests name. Each holds only what its reader needs. */
export function secretManifests(secrets: Secrets, installation: Installation): SecretManifest[] {
  const { namespace } = installation
  const manifest = ([name, stringData]: [string, Record<string, string>]): SecretManifest => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    type: 'Opaque',
    stringData,
  })
  return [
    ...Object.entries({ ...ofServices(secrets, installation), ...ofServers(secrets, installation) }).map(
      manifest,
    ),
    ...(installation.adminUrl === undefined ? [superuser(secrets, namespace)] : []),
  ]
}

function ofServices(secrets: Secrets, installation: Installation): Record<string, Record<string, string>> {
  const { nats } = secrets
  const broker = { NATS_PASSWORD: nats.services_password }
  const shared = (role: DatabaseRole) => ({ DATABASE_URL: roleUrl(role, secrets, installation), ...broker })
  const verifying = { PRINCIPAL_PUBLIC_KEY: secrets.principal_public_key }
  return {
    gateway: { ...shared('gateway'), PRINCIPAL_PRIVATE_KEY: secrets.principal_private_key },
    catalog: { ...shared('catalog'), ...verifying },
    tracking: { ...shared('tracking'), ...verifying },
    keys: {
      ...shared('keys'),
      ...verifying,
      SIGNING_KEY_SECRET: secrets.signing_key_secret,
      CALLOUT_PASSWORD: nats.callout_password,
      CALLOUT_ISSUER_SEED: nats.callout_issuer_seed,
      CALLOUT_XKEY_SEED: nats.callout_xkey_seed,
      NATS_SYSTEM_PASSWORD: nats.system_password,
      SMTP_URL: installation.smtpUrl ?? '',
      OIDC_CLIENT_SECRET: installation.oidcClientSecret ?? '',
    },
    'webhook-dispatcher': {
      ...shared('webhooks'),
      ...verifying,
      WEBHOOK_SECRET_KEYS: secrets.webhook_secret_keys,
    },
    topology: broker,
  }
}

function ofServers(secrets: Secrets, installation: Installation): Record<string, Record<string, string>> {
  const { nats } = secrets
  const { backups } = installation
  return {
    migrate: {
      ADMIN_DATABASE_URL: adminUrl(secrets, installation),
      GATEWAY_DATABASE_URL: roleUrl('gateway', secrets, installation),
      CATALOG_DATABASE_URL: roleUrl('catalog', secrets, installation),
      TRACKING_DATABASE_URL: roleUrl('tracking', secrets, installation),
      KEYS_DATABASE_URL: roleUrl('keys', secrets, installation),
      WEBHOOKS_DATABASE_URL: roleUrl('webhooks', secrets, installation),
    },
    nats: {
      CALLOUT_PASSWORD: nats.callout_password,
      SERVICES_PASSWORD: nats.services_password,
      SYSTEM_PASSWORD: nats.system_password,
      CALLOUT_ISSUER: nats.callout_issuer,
      CALLOUT_XKEY: nats.callout_xkey,
    },
    ...(backups && {
      'postgres-backups': {
        ACCESS_KEY_ID: backups.accessKeyId,
        SECRET_ACCESS_KEY: backups.secretAccessKey,
      },
    }),
  }
}

function adminUrl(secrets: Secrets, { adminUrl: outside, plain = false }: Installation): string {
  if (outside !== undefined) return outside
  return ownUrl(secrets, plain ? PLAIN_SERVER : OWN_SERVER, plain ? undefined : OWN_CA)
}

/** An administrator of a server in the cluster. Both have the same. */
function ownUrl(secrets: Secrets, server: string, ca: string | undefined): string {
  const url = new URL(server)
  Object.assign(url, { username: SUPERUSER, password: secrets.postgres_password })
  if (ca !== undefined)
    url.search = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: ca }).toString()
  return url.href
}

/** The administrator's address with another user and database: host, encryption and CA stay. */
function roleUrl(role: DatabaseRole, secrets: Secrets, installation: Installation): string {
  const login = { name: role, password: secrets.database_passwords[role] }
  const isApart = installation.large && role === 'tracking'
  const admin = isApart ? ownUrl(secrets, TRACKING_SERVER, TRACKING_CA) : adminUrl(secrets, installation)
  return databaseUrl(admin, installation.database, login)
}

/** The operator of the database reads it and sets the password. */
function superuser(secrets: Secrets, namespace: string): SecretManifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'postgres-superuser', namespace, labels: { 'cnpg.io/reload': 'true' } },
    type: 'kubernetes.io/basic-auth',
    stringData: { username: SUPERUSER, password: secrets.postgres_password },
  }
}
