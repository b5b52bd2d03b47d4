import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceEnvironment, type Wiring } from './services.ts'

/** What the operator's command line needs to know of the stack on a data folder: see ops.mjs. */
export const opsEnvFile = (dataDir: string) => join(dataDir, 'ops.env')

/** Readable by its owner only, and never seen half written. */
export function writeOpsEnv(dataDir: string, wiring: Wiring): void {
  const { DATABASE_URL, SIGNING_KEY_SECRET } = serviceEnvironment('keys', wiring)
  const partial = `${opsEnvFile(dataDir)}.${process.pid}`
  const lines = [`DATABASE_URL=${DATABASE_URL}`, `SIGNING_KEY_SECRET=${SIGNING_KEY_SECRET}`, '']
  writeFileSync(partial, lines.join('\n'), { mode: 0o600 })
  renameSync(partial, opsEnvFile(dataDir))
}
