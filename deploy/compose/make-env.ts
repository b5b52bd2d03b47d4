// Writes the secrets of a docker compose installation to `.env` and a certificate of its broker, once.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { errorText } from '../error-text.ts'
import { generateSecrets } from '../installation/secrets.ts'
import { writeCertificate } from './certificates.ts'
import { envFileOf, missingLines } from './env-file.ts'

const HELP = `node deploy/compose/make-env.ts    write new secrets to .env; add only missing ones to an existing .env. Write a
                                   certificate to certificates/, if there is none

  --host    a name or an address that readers use, for the certificate. Repeat it for several
  --print   print them instead, for a machine without Node:
            docker run --rm whereabouts deploy/compose/make-env.ts --print > .env
            mkdir certificates && cd certificates && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \\
              -nodes -days 3650 -subj '/CN=Whereabouts broker' -keyout tls.key -out tls.crt \\
              -addext subjectAltName=DNS:nats,DNS:localhost,IP:127.0.0.1 && cp tls.crt ca.crt
`

function main(): void {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      print: { type: 'boolean' },
      host: { type: 'string', multiple: true },
    },
  })
  if (values.help) return void process.stdout.write(HELP)
  const variables = envFileOf(generateSecrets())
  if (values.print) return void process.stdout.write(linesOf(variables).join(''))
  const root = join(import.meta.dirname, '../..')
  writeSecrets(join(root, '.env'), variables)
  process.stdout.write(writeCertificate(join(root, 'certificates'), values.host ?? []))
}

function writeSecrets(file: string, variables: Readonly<Record<string, string>>): void {
  try {
    // "wx": secrets that differ from those in the database and the broker would lock out all services.
    writeFileSync(file, linesOf(variables).join(''), { mode: 0o600, flag: 'wx' })
    process.stdout.write('wrote .env\n')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    process.stdout.write(complete(file, variables))
  }
}

const linesOf = (variables: Readonly<Record<string, string>>) =>
  Object.entries(variables).map(([name, value]) => `${name}=${value}\n`)

/** Returns a message for the user. */
function complete(file: string, variables: Readonly<Record<string, string>>): string {
  const text = readFileSync(file, 'utf8')
  const missing = missingLines(text, variables)
  if (missing.length === 0) return '.env exists and is complete\n'
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  appendFileSync(file, separator + missing.join(''))
  return `added to .env: ${missing.map((line) => line.split('=')[0]).join(', ')}\n`
}

try {
  main()
} catch (error) {
  process.stderr.write(`make-env failed: ${errorText(error)}\n`)
  process.exitCode = 1
}
