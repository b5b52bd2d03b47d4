import { streams } from '@whereabouts/messaging/connect/topology'
import {
  brokerEnv,
  commonEnv,
  databaseEnv,
  loadEnv,
  principalEnv,
} from '@whereabouts/service-kit/service/env'
import { z } from 'zod'
import { WEBHOOK_PORTS } from './receivers/address-guard.ts'
import { parseSecretKeys } from './webhooks/secrets.ts'

/** Of the stream EVENTS: what it brings again must meet its event, or it would be recorded twice. */
const LEAST_KEPT_DAYS = streams.EVENTS.maxAgeMs / (24 * 60 * 60_000)

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
  WEBHOOK_PORTS: z
    .string()
    .regex(/^\d+(,\d+)*$/, 'must be ports separated by commas')
    .transform((text) => text.split(',').map(Number))
    .refine((ports) => ports.every((port) => port >= 1 && port <= 65_535), 'must be ports from 1 to 65535')
    .default([...WEBHOOK_PORTS])
    .describe('Ports that the URL of a webhook may have, separated by commas. With private targets: any.'),
  EVENTS_KEEP_DAYS: z.coerce
    .number()
    .int()
    .min(LEAST_KEPT_DAYS)
    .max(400)
    .default(LEAST_KEPT_DAYS)
    .describe('How long the feed keeps events, in days: at least as long as the stream EVENTS, 7.'),
  ALLOW_PRIVATE_TARGETS: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('Development only: deliver to private addresses and over plain http.'),
})
export type Config = Readonly<z.output<typeof Config>>

/** Throws one error that names every bad variable. */
export const loadConfig = (env: NodeJS.ProcessEnv): Config => loadEnv(Config, env)
