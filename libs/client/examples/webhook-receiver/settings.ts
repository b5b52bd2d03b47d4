import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

export const HELP = `node libs/client/examples/webhook-receiver/main.ts [flags]    receives webhooks and stores where each asset is

  --port N         port to listen on; 0 chooses a free one         default 9000
  --host ADDRESS   address to listen on; 0.0.0.0 for all           default 127.0.0.1
  --path PATH      path of the webhook's URL                       default /hook
  --cert FILE      PEM, with --key: HTTPS. Without: plain HTTP, for development or behind a proxy with TLS
  --key FILE       PEM
  --base-url URL   address of the API                              default http://127.0.0.1:8080
  --data FILE      SQLite database with the positions              default webhook-receiver.db
  --tolerance N    seconds from scan to delivery; an older event
                   is not applied, but read from the report        default 300
  --reconcile N    seconds between two comparisons with the report default 300
  --help           prints this

  WEBHOOK_SECRET             shown when the webhook was created; two, separated by a comma, while it is replaced
  CLIENT_ID, CLIENT_SECRET   an API key with scans:read, to read the report

It writes a line of JSON for each event and each comparison. Ctrl-C stops it.
`

export type Settings = {
  host: string
  port: number
  path: string
  tls: { cert: Buffer; key: Buffer } | undefined
  baseUrl: string
  dataFile: string
  toleranceSeconds: number
  reconcileSeconds: number
  secrets: string[]
  key: { clientId: string; clientSecret: string } | undefined
}

/** Throws an error that says what to do. Secrets come from the environment, because other users can see flags. */
export function readSettings(args: string[], env: NodeJS.ProcessEnv): Settings | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '9000' },
      host: { type: 'string', default: '127.0.0.1' },
      path: { type: 'string', default: '/hook' },
      cert: { type: 'string' },
      key: { type: 'string' },
      'base-url': { type: 'string', default: 'http://127.0.0.1:8080' },
      data: { type: 'string', default: 'webhook-receiver.db' },
      tolerance: { type: 'string', default: '300' },
      reconcile: { type: 'string', default: '300' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return 'help'
  if (!/^\/[^?#\s]*$/.test(values.path)) throw new Error('--path begins with a slash, like /hook')
  return {
    host: values.host,
    port: integer('--port', values.port, 0, 65_535),
    path: values.path,
    tls: readTls(values),
    baseUrl: readUrl(values['base-url']),
    dataFile: values.data,
    toleranceSeconds: integer('--tolerance', values.tolerance, 0, 7 * 86_400),
    reconcileSeconds: integer('--reconcile', values.reconcile, 10, 86_400),
    secrets: readSecrets(env['WEBHOOK_SECRET']),
    key: readKey(env),
  }
}

function integer(name: string, text: string, min: number, max: number): number {
  const value = text === '' ? Number.NaN : Number(text)
  if (!Number.isInteger(value) || value < min || value > max) throw new Error(`${name} is ${min} to ${max}`)
  return value
}

function readTls({ cert, key }: { cert?: string | undefined; key?: string | undefined }) {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined) throw new Error('--cert and --key belong together')
  return { cert: readPem('--cert', cert), key: readPem('--key', key) }
}

function readPem(name: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
}

function readUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error('--base-url is an address like https://api.example.com')
  return url.href
}

function readSecrets(text = ''): string[] {
  const secrets = text.split(',').map((secret) => secret.trim())
  if (!secrets.every((secret) => secret.startsWith('whsec_')))
    throw new Error('WEBHOOK_SECRET is the secret of the webhook, which begins with whsec_. See --help.')
  return secrets
}

function readKey({ CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }: NodeJS.ProcessEnv): Settings['key'] {
  if (!clientId && !clientSecret) return undefined
  if (!clientId || !clientSecret) throw new Error('CLIENT_ID and CLIENT_SECRET belong together')
  return { clientId, clientSecret }
}
