import {
  brokerEnv,
  commonEnv,
  databaseEnv,
  loadEnv,
  principalEnv,
} from '@whereabouts/service-kit/service/env'
import { z } from 'zod'

export const Config = z.object({
  ...commonEnv,
  ...databaseEnv,
  ...brokerEnv,
  ...principalEnv,
  RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(31)
    .max(36_500)
    .default(400)
    .describe('Days of history kept, packed after three; whole months are dropped.'),
})

/** Throws one error that names every bad variable. It leaves out values because they may be secrets. */
export const loadConfig = (env: NodeJS.ProcessEnv) => loadEnv(Config, env)
