import { brokerEnv, commonEnv, databaseEnv, loadEnv, principalEnv } from '@whereabouts/service-kit/env'
import { z } from 'zod'
import { parseSecretKeys } from './webhooks/secrets.ts'

export const Config = z.object({
  ...commonEnv,
  ...databaseEnv,
  ...brokerEnv,
  ...principalEnv,
  WEBHOOK_SECRET_KEYS: z
    .string()
    .transform((raw, ctx) => {
      const keys = parseSecretKeys(raw)
      if (keys) return keys
      ctx.issues.push({ code: 'custom', input: raw, message: 'must be <id>:<32 bytes in base64url>[,…]' })
      return z.NEVER
    })
    .describe('Keys for webhook secrets at rest, <id>:<base64url>[,…]. The first encrypts, all decrypt.'),
  ALLOW_PRIVATE_TARGETS: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('Development only: deliver to private addresses and over plain http.'),
})
export type Config = Readonly<z.output<typeof Config>>

/** Throws one error that names every bad variable. */
export const loadConfig = (env: NodeJS.ProcessEnv): Config => loadEnv(Config, env)
