import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createCalloutKeys } from '@whereabouts/messaging/readers/nkeys'

/** Every role that owns a schema, of the same name. */
export const DATABASE_ROLES = ['gateway', 'catalog', 'tracking', 'keys', 'webhooks'] as const
export type DatabaseRole = (typeof DATABASE_ROLES)[number]

/** All secrets of one installation, as kept in `secrets.json`. */
export type Secrets = {
  postgres_password: string
  database_passwords: Record<DatabaseRole, string>
  nats: {
    callout_password: string
    services_password: string
    system_password: string
    callout_issuer: string
    callout_issuer_seed: string
    callout_xkey: string
    callout_xkey_seed: string
  }
  principal_private_key: string
  principal_public_key: string
  signing_key_secret: string
  webhook_secret_keys: string
}

/** Reads the secrets of `file`, or creates them at the first start. Only its owner may read the file. */
export function loadSecrets(file: string): Secrets {
  const kept = readSecrets(file)
  if (kept) return kept
  const secrets = generateSecrets()
  mkdirSync(dirname(file), { recursive: true })
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  renameSync(partial, file)
  return secrets
}

/** New secrets. Passwords start with a letter and need no escaping in a URL or for the broker. */
export function generateSecrets(): Secrets {
  return {
    postgres_password: password(),
    database_passwords: {
      gateway: password(),
      catalog: password(),
      tracking: password(),
      keys: password(),
      webhooks: password(),
    },
    nats: natsSecrets(),
    ...principalKeys(),
    signing_key_secret: key(),
    webhook_secret_keys: `k1:${key()}`,
  }
}

function natsSecrets(): Secrets['nats'] {
  const { issuer, issuerSeed, xkey, xkeySeed } = createCalloutKeys()
  return {
    callout_password: password(),
    services_password: password(),
    system_password: password(),
    callout_issuer: issuer,
    callout_issuer_seed: issuerSeed,
    callout_xkey: xkey,
    callout_xkey_seed: xkeySeed,
  }
}

/** Ed25519 as its 32 raw bytes: the end of either DER encoding. */
function principalKeys(): Pick<Secrets, 'principal_private_key' | 'principal_public_key'> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' })
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  return {
    principal_private_key: pkcs8.subarray(-32).toString('base64url'),
    principal_public_key: spki.subarray(-32).toString('base64url'),
  }
}

function password(): string {
  return `p${randomBytes(24).toString('base64url')}`
}

function key(): string {
  return randomBytes(32).toString('base64url')
}

function readSecrets(file: string): Secrets | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  // loadSecrets wrote it whole, by a rename.
  return JSON.parse(text)
}
