// Writes the secrets of a docker compose installation to `.env`, once.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Secrets, generateSecrets } from '../local/secrets.ts'

const HELP = `node deploy/compose/make-env.ts    writes fresh secrets to .env, unless that file is there already

  --print   prints them instead, for a machine without Node:
            docker run --rm whereabouts deploy/compose/make-env.ts --print > .env
`

/** The variables of docker-compose.yml. */
function variablesOf(secrets: Secrets): Record<string, string> {
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
  }
}

function main(): void {
  const { values } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' }, print: { type: 'boolean' } },
  })
  if (values.help) return void process.stdout.write(HELP)
  const lines = Object.entries(variablesOf(generateSecrets())).map(([name, value]) => `${name}=${value}\n`)
  if (values.print) return void process.stdout.write(lines.join(''))
  const file = join(import.meta.dirname, '../../.env')
  try {
    // "wx": other secrets than those in the database and in the broker would lock everybody out.
    writeFileSync(file, lines.join(''), { mode: 0o600, flag: 'wx' })
    process.stdout.write('wrote .env\n')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    process.stdout.write('.env is there already, kept\n')
  }
}

main()
