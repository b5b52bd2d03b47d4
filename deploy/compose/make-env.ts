// Writes the secrets of a docker compose installation to `.env`, once.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { generateSecrets } from '../local/secrets.ts'
import { envFileOf, missingLines } from './env-file.ts'

const HELP = `node deploy/compose/make-env.ts    write new secrets to .env; add only missing ones to an existing .env

  --print   print them instead, for a machine without Node:
            docker run --rm whereabouts deploy/compose/make-env.ts --print > .env
`

function main(): void {
  const { values } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' }, print: { type: 'boolean' } },
  })
  if (values.help) return void process.stdout.write(HELP)
  const variables = envFileOf(generateSecrets())
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`)
  if (values.print) return void process.stdout.write(lines.join(''))
  const file = join(import.meta.dirname, '../../.env')
  try {
    // "wx": secrets that differ from those in the database and the broker would lock out all services.
    writeFileSync(file, lines.join(''), { mode: 0o600, flag: 'wx' })
    process.stdout.write('wrote .env\n')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    process.stdout.write(complete(file, variables))
  }
}

/** Returns a message for the user. */
function complete(file: string, variables: Readonly<Record<string, string>>): string {
  const text = readFileSync(file, 'utf8')
  const missing = missingLines(text, variables)
  if (missing.length === 0) return '.env exists and is complete\n'
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  appendFileSync(file, separator + missing.join(''))
  return `added to .env: ${missing.map((line) => line.split('=')[0]).join(', ')}\n`
}

main()
