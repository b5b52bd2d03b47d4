import { commonEnv, loadEnv, publicEnv } from '@whereabouts/service-kit/env'
import { z } from 'zod'

export const Config = z.object({
  ...commonEnv,
  ...publicEnv,
  KEYS_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Address of keys.'),
  READER_NATS_URL: z
    .string()
    .min(1)
    .optional()
    .describe('Address of the broker for readers that speak NATS, as the console shows it.'),
  READER_MQTT_URL: z
    .string()
    .min(1)
    .optional()
    .describe('Address of the broker for readers that speak MQTT, as the console shows it.'),
})
export type Config = Readonly<z.output<typeof Config>>

/** Throws one `ConfigError` naming every bad variable. */
export const loadConfig = (env: NodeJS.ProcessEnv): Config => loadEnv(Config, env)
