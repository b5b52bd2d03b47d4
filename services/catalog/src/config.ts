import { brokerEnv, commonEnv, databaseEnv, loadEnv, principalEnv } from '@whereabouts/service-kit/env'
import { z } from 'zod'

export const Config = z.object({ ...commonEnv, ...databaseEnv, ...brokerEnv, ...principalEnv })

/** Throws one error naming every bad variable. */
export const loadConfig = (env: NodeJS.ProcessEnv) => loadEnv(Config, env)
