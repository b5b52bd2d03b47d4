import {
  brokerEnv,
  commonEnv,
  databaseEnv,
  loadEnv,
  principalEnv,
} from '@whereabouts/service-kit/service/env'
import { z } from 'zod'

export const Config = z.object({ ...commonEnv, ...databaseEnv, ...brokerEnv, ...principalEnv })

/** Throws one error that names all invalid variables. */
export const loadConfig = (env: NodeJS.ProcessEnv) => loadEnv(Config, env)
