import { brokerEnv, commonEnv, databaseEnv, loadEnv, principalEnv } from '@whereabouts/service-kit/env'
import { z } from 'zod'

export const Config = z.object({
  ...commonEnv,
  ...databaseEnv,
  ...brokerEnv,
  ...principalEnv,
  SIGNING_KEY_SECRET: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url')
    .describe('Encrypts the token-signing keys at rest, 32 bytes in base64url.'),
  SIGNING_KEY_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_650)
    .default(30)
    .describe('Age at which a token-signing key gives way to the next one.'),
  CALLOUT_PASSWORD: z
    .string()
    .min(1)
    .describe('Password of the broker user callout, who answers reader logins.'),
  CALLOUT_ISSUER_SEED: z
    .string()
    .regex(/^SA[A-Z2-7]{56}$/, 'must be an account seed (SA…)')
    .describe('Account seed that signs the answers to reader logins.'),
  CALLOUT_XKEY_SEED: z
    .string()
    .regex(/^SX[A-Z2-7]{56}$/, 'must be a curve seed (SX…)')
    .describe('Curve seed that encrypts questions and answers of reader logins.'),
  NATS_SYSTEM_PASSWORD: z
    .string()
    .min(1)
    .describe('Password of the broker user system, who disconnects readers.'),
})
export type Config = Readonly<z.output<typeof Config>>

/** Throws one error that names every bad variable and no value. */
export const loadConfig = (env: NodeJS.ProcessEnv): Config => loadEnv(Config, env)
