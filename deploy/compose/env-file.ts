import { randomBytes } from 'node:crypto'
import type { Secrets } from '../installation/secrets.ts'

/** Added after the first release. An older `.env` lacks them; each can be generated alone. */
const ADDED_LATER = ['GRAFANA_ADMIN_PASSWORD']

/** The lines that an older `.env` lacks. Existing lines stay as they are. */
export function missingLines(text: string, variables: Readonly<Record<string, string>>): string[] {
  const present = new Set(Array.from(text.matchAll(/^\s*(?:export\s+)?(\w+)\s*=/gm), ([, name]) => name))
  return ADDED_LATER.filter((name) => !present.has(name)).map((name) => `${name}=${variables[name]}\n`)
}

/** The variables of docker-compose.yml that hold secrets. */
export function envFileOf(secrets: Secrets): Record<string, string> {
  const { database_passwords: databases, nats } = secrets
  return {
    POSTGRES_PASSWORD: secrets.postgres_password,
    GATEWAY_DATABASE_PASSWORD: databases.gateway,
    CATALOG_DATABASE_PASSWORD: databases.catalog,
    TRACKING_DATABASE_PASSWORD: databases.tracking,
    KEYS_DATABASE_PASSWORD: databases.keys,
    WEBHOOKS_DATABASE_PASSWORD: databases.webhooks,
    CALLOUT_PASSWORD: nats.callout_password,
    SERVICES_PASSWORD: nats.services_password,
    SYSTEM_PASSWORD: nats.system_password,
    CALLOUT_ISSUER: nats.callout_issuer,
    CALLOUT_ISSUER_SEED: nats.callout_issuer_seed,
    CALLOUT_XKEY: nats.callout_xkey,
    CALLOUT_XKEY_SEED: nats.callout_xkey_seed,
    PRINCIPAL_PRIVATE_KEY: secrets.principal_private_key,
    PRINCIPAL_PUBLIC_KEY: secrets.principal_public_key,
    SIGNING_KEY_SECRET: secrets.signing_key_secret,
    WEBHOOK_SECRET_KEYS: secrets.webhook_secret_keys,
    GRAFANA_ADMIN_PASSWORD: randomBytes(24).toString('base64url'),
  }
}
