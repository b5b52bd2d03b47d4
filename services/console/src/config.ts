import { commonEnv, loadEnv } from '@whereabouts/service-kit/env'
import { z } from 'zod'

export const Config = z.object(commonEnv)

/** Throws one `ConfigError` naming every bad variable. */
export const loadConfig = (env: NodeJS.ProcessEnv): Readonly<z.output<typeof Config>> => loadEnv(Config, env)
