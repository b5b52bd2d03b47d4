// Writes the secrets of a docker compose installation to `.env`, once.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { generateSecrets } from '../local/secrets.ts'
import { envFileOf } from './env-file.ts'

const HELP = `node deploy/compose/make-env.ts    writes fresh secrets to .env, unless that file is there already

  --print   prints them instead, for a machine without Node:
            docker run --rm whereabouts deploy/compose/make-env.ts --print > .env
`

function main(): void {
  const { values } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' }, print: { type: 'boolean' } },
  })
  if (values.help) return void process.stdout.write(HELP)
  const lines = Object.entries(envFileOf(generateSecrets())).map(([name, value]) => `${name}=${value}\n`)
  if (values.print) return void process.stdout.write(lines.join(''))
  const file = join(import.meta.dirname, '../../.env')
  try {
    // "wx": other secrets than those in the database and in the broker would lock everybody out.
    writeFileSync(file, lines.join(''), { mode: 0o600, flag: 'wx' })
    process.stdout.write('wrote .env\n')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    process.stdout.write('.env is there already, kept\n')
  }
}

main()
