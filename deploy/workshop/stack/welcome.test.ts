import { expect, test } from 'vitest'
import type { Demo } from '../demo/demo-file.ts'
import { warehousePlan } from '../demo/warehouse.ts'
import { shellQuote } from './shell-quote.ts'
import { printWelcome, welcomeCommands } from './welcome.ts'

const demo: Demo = {
  base_url: 'http://127.0.0.1:8080',
  nats_url: 'nats://127.0.0.1:4222',
  mqtt_url: 'mqtt://127.0.0.1:1883',
  mail_url: 'http://127.0.0.1:1080',
  org_id: 4711,
  admin: { email: 'demo@whereabouts.example', password: "it's $HOME `x` \\" },
  api_key: { client_id: '019a-client', client_secret: 'secret_0a' },
  reader_key: { client_id: '019a-reader', client_secret: 'secret_0b' },
}

function screen(colours: boolean): string {
  let text = ''
  printWelcome(demo, { colours, write: (part) => (text += part) })
  return text
}

test.for([
  {
    name: 'plain words stay bare',
    text: 'http://127.0.0.1:8080/api/v1',
    want: 'http://127.0.0.1:8080/api/v1',
  },
  { name: 'a query is quoted, or the shell would run it', text: 'a?b=1&c=2', want: "'a?b=1&c=2'" },
  { name: 'nothing is expanded', text: '$HOME `id` \\', want: "'$HOME `id` \\'" },
  { name: 'a quote inside survives', text: "it's", want: `'it'\\''s'` },
  { name: 'the empty text is a word', text: '', want: "''" },
])('shell words: $name', ({ text, want }) => expect(shellQuote(text)).toBe(want))

test('the screen names every address, the sign-in and the file with the credentials', () => {
  const text = screen(false)
  const wanted = [
    demo.base_url,
    demo.nats_url,
    demo.mqtt_url,
    demo.mail_url,
    demo.admin.email,
    demo.admin.password,
  ]
  for (const part of [...wanted, '.data/demo.json']) expect(text).toContain(part)
})

test('the address for a browser opens the floor', () => {
  expect(screen(false)).toContain(`  Web          ${demo.base_url}/floor\n`)
})

test('the screen has at most 35 lines', () => {
  expect(screen(false).split('\n').length).toBeLessThanOrEqual(35)
})

test('colours come on request only', () => {
  expect(screen(false)).not.toContain('\u001b')
  expect(screen(true)).toContain('\u001b')
})

test('a password with quotes and dollars reaches the service unchanged', () => {
  const login = welcomeCommands(demo)
    .flatMap(({ lines }) => lines)
    .find((line) => line.includes('/auth/login'))
  const body = JSON.stringify(demo.admin)
  expect(login).toContain(`-d '${body.replaceAll("'", `'\\''`)}'`)
})

test('titles are harmless in a shell without comments, because users paste them too', () => {
  for (const { title } of welcomeCommands(demo)) expect(title).toMatch(/^[\w ,.-]+$/)
})

test('every variable is set by an earlier line', () => {
  const admin = { ...demo.admin, password: 'plain' }
  const lines = welcomeCommands({ ...demo, admin }).flatMap((command) => command.lines)
  const known = new Set<string>()
  for (const line of lines) {
    const outsideQuotes = line.replace(/'[^']*'/g, '')
    for (const [, used] of outsideQuotes.matchAll(/\$([A-Z]+)/g)) expect(known).toContain(used)
    for (const [, made] of line.matchAll(/^([A-Z]+)=/g)) known.add(made ?? '')
  }
  expect(known).toEqual(new Set(['TOKEN', 'ASSET', 'SESSION']))
})

test('the scan to publish is of a registered tag', () => {
  const scan = welcomeCommands(demo)
    .flatMap(({ lines }) => lines)
    .find((line) => line.startsWith('npm run scan'))
  const value = /--tag (\S+)/.exec(scan ?? '')?.[1]
  const tags = warehousePlan().assets.flatMap((asset) => asset.tags.map((tag) => tag.value))
  expect(tags).toContain(value)
})
