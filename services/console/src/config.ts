import { commonEnv, loadEnv, publicEnv } from '@whereabouts/service-kit/service/env'
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
    .describe('Broker address for NATS readers, as shown in the console.'),
  READER_MQTT_URL: z
    .string()
    .min(1)
    .optional()
    .describe('Broker address for MQTT readers, as shown in the console.'),
})
export type Config = Readonly<z.output<typeof Config>>

/** Throws one `ConfigError` naming every bad variable. */
export const loadConfig = (env: NodeJS.ProcessEnv): Config => loadEnv(Config, env)
