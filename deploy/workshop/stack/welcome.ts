import { API_PREFIX } from '@whereabouts/contracts/routes'
import type { Demo } from '../demo/demo-file.ts'
import { UNSEEN_ASSET, warehousePlan } from '../demo/warehouse.ts'
import { shellQuote } from './shell-quote.ts'

export type WelcomeOptions = {
  write?: (text: string) => void
  /** Path to show. */
  credentialsFile?: string
  /** Path to show. */
  logsFolder?: string
  /** Default: when standard output is a terminal. */
  colours?: boolean
}

/** A command to try: a title, and lines for any POSIX shell in the project's folder. */
export type WelcomeCommand = { title: string; lines: string[] }

/** Prints the start screen: addresses, credentials, and commands that work as printed. */
export function printWelcome(demo: Demo, options: WelcomeOptions = {}): void {
  const { write = (text) => process.stdout.write(text), credentialsFile = '.data/demo.json' } = options
  const { logsFolder = '.data/logs' } = options
  const { colours = process.stdout.isTTY } = options
  const paint = (code: number) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text)
  const [bold, dim] = [paint(1), paint(2)]
  const commands = welcomeCommands(demo).map(({ title, lines }) =>
    [dim(`# ${title}`), lines].flat().join('\n'),
  )
  const screen = [
    '',
    bold('Whereabouts is running. Ctrl-C stops it; the next start resumes the data.'),
    '',
    `  Web          ${demo.base_url}/floor`,
    `  API          ${demo.base_url}${API_PREFIX}`,
    `  Readers      ${demo.nats_url} and ${demo.mqtt_url} (MQTT 3.1.1)`,
    `  Mail         ${demo.mail_url}/email lists what was sent; nothing leaves this machine`,
    `  Sign in      ${demo.admin.email}  ${demo.admin.password}`,
    `  Credentials  ${credentialsFile}`,
    `  Operate      npm run ops -- --help`,
    `  Logs         ${logsFolder}`,
    '',
    bold('Paste into a second terminal, in this folder:'),
    '',
    ...commands,
    '',
  ]
  write(`${screen.join('\n')}\n`)
}

/** Titles are plain words: users paste them too, and some shells have no comments at the prompt. */
export function welcomeCommands(demo: Demo): WelcomeCommand[] {
  const api = demo.base_url + API_PREFIX
  const login = { grant_type: 'client_credentials', ...demo.api_key }
  const bearer = '-H "Authorization: Bearer $TOKEN"'
  const admin = '-H "Authorization: Bearer $SESSION"'
  const vehicle = 'FORKLIFT-01'
  const find = `${api}/reports/asset-locations?asset_external_key=${vehicle}`
  return [
    {
      title: 'Exchange the API key for a token that is valid for 15 minutes',
      lines: [`TOKEN=$(${post(`${api}/oauth/token`, login)} | ${field('access_token', TEXT)})`],
    },
    {
      title: 'List where all assets are, last seen first',
      lines: [get(bearer, `${api}/reports/asset-locations?limit=5`)],
    },
    { title: 'List assets', lines: [get(bearer, `${api}/assets?q=forklift&limit=2`)] },
    {
      title: `Show where ${vehicle} has been`,
      lines: [
        `ASSET=$(curl -s ${bearer} ${shellQuote(find)} | ${field('asset_id', NUMBER)})`,
        get(bearer, `"${api}/assets/$ASSET/history?limit=5"`),
      ],
    },
    {
      title: `Publish one scan of ${UNSEEN_ASSET}, which the simulated readers never see`,
      lines: [`npm run scan -- --tag ${shellQuote(tagOf(UNSEEN_ASSET))} --location DOCK-1`],
    },
    {
      title: 'Register a webhook for movements',
      lines: [
        `SESSION=$(${post(`${api}/auth/login`, demo.admin)} | ${field('access_token', TEXT)})`,
        `${post(`${api}/webhooks`, { url: 'http://127.0.0.1:9000/hook' }, admin)}; echo`,
      ],
    },
  ]
}

/** `address` is already quoted when it holds a variable. */
const get = (headers: string, address: string) =>
  `curl -s ${headers} ${address.startsWith('"') ? address : shellQuote(address)}; echo`

const post = (address: string, body: object, headers = '') =>
  ['curl -s', headers, JSON_TYPE, '-d', shellQuote(JSON.stringify(body)), shellQuote(address)]
    .filter(Boolean)
    .join(' ')

const JSON_TYPE = "-H 'Content-Type: application/json'"

const TEXT = '"\\([^"]*\\)"'
const NUMBER = '\\([0-9]*\\)'

/** Extracts a field from JSON on one line, because not every machine has jq. */
const field = (name: string, value: string) => `sed -n 's/.*"${name}": *${value}.*/\\1/p'`

function tagOf(assetKey: string): string {
  const asset = warehousePlan().assets.find(({ key }) => key === assetKey)
  return asset?.tags.find(({ type }) => type === 'rfid')?.value ?? ''
}
