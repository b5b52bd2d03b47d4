// The command `npm run republish` after its preparation: republishes the states of catalog, then of keys.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { opsEnvFile, republishEnvFile } from '../stack/ops-env.ts'
import { ROOT } from '../../installation/services.ts'

/** Returns the exit code. Without `envFile` of the local stack, the environment names the database. */
function run(program: string, envFile: string, args: readonly string[]): number {
  const flags = existsSync(envFile) ? [`--env-file=${envFile}`] : []
  return (
    spawnSync(process.execPath, [...flags, join(ROOT, 'services', program), ...args], {
      cwd: ROOT,
      stdio: 'inherit',
    }).status ?? 1
  )
}

const args = process.argv.slice(2)
const dataDir = resolve(ROOT, process.env['DATA_DIR'] || '.data')
// A DATABASE_URL is that of catalog, because each service has its own role.
const isNamed = Boolean(process.env['DATABASE_URL'])
const ofCatalog = run('catalog/src/republish/main.ts', isNamed ? '' : republishEnvFile(dataDir), args)
const onlyCatalog = isNamed || args.includes('--help') || ofCatalog !== 0
process.exitCode = onlyCatalog ? ofCatalog : run('keys/src/republish.ts', opsEnvFile(dataDir), [])
