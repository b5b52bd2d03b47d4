import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brokerEnv } from '@whereabouts/service-kit/service/env'
import { serviceEnvironment, type Wiring } from '../../installation/services.ts'

/** Variables of the stack on a data folder, for run.mjs. */
export const opsEnvFile = (dataDir: string) => join(dataDir, 'ops.env')
/** The same for republish.mjs. */
export const republishEnvFile = (dataDir: string) => join(dataDir, 'republish.env')

export function writeOpsEnv(dataDir: string, wiring: Wiring): void {
  const keys = serviceEnvironment('keys', wiring)
  const { PUBLIC_URL } = serviceEnvironment('console', wiring)
  write(opsEnvFile(dataDir), { ...pick(keys, [...NEEDED_BY_KEYS, ...Object.keys(brokerEnv)]), PUBLIC_URL })
  const { DATABASE_URL } = serviceEnvironment('catalog', wiring)
  write(republishEnvFile(dataDir), { DATABASE_URL })
}

const NEEDED_BY_KEYS = ['DATABASE_URL', 'SIGNING_KEY_SECRET', 'NATS_SYSTEM_PASSWORD']

const pick = (from: Record<string, string>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))

/** Only its owner may read it. Written whole, by a rename. */
function write(file: string, variables: Record<string, string | undefined>): void {
  const partial = `${file}.${process.pid}`
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(partial, lines.join(''), { mode: 0o600 })
  renameSync(partial, file)
}
