import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceEnvironment, type Wiring } from './services.ts'

/** What the operator's command line needs to know of the stack on a data folder: see ops.mjs. */
export const opsEnvFile = (dataDir: string) => join(dataDir, 'ops.env')
/** The same for republish.mjs. */
export const republishEnvFile = (dataDir: string) => join(dataDir, 'republish.env')

export function writeOpsEnv(dataDir: string, wiring: Wiring): void {
  const { DATABASE_URL, SIGNING_KEY_SECRET } = serviceEnvironment('keys', wiring)
  write(opsEnvFile(dataDir), { DATABASE_URL, SIGNING_KEY_SECRET })
  write(republishEnvFile(dataDir), { DATABASE_URL: serviceEnvironment('catalog', wiring)['DATABASE_URL'] })
}

/** Readable by its owner only, and never seen half written. */
function write(file: string, variables: Record<string, string | undefined>): void {
  const partial = `${file}.${process.pid}`
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(partial, lines.join(''), { mode: 0o600 })
  renameSync(partial, file)
}
