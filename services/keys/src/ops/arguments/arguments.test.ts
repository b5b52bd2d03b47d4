import { describe, expect, test } from 'vitest'
import { readArguments } from './arguments.ts'
import { EXAMPLES } from './examples.ts'

const read = (line: string) => readArguments(line === '' ? [] : line.split(' '))
const ORG = '4503599627370497'
const JTI = '019A0000-0000-7000-8000-00000000000A'
const page = { limit: 100, offset: 0 }

describe('accepted arguments', () => {
  test.for([
    {
      line: 'org create --name Acme --admin-email a@b.example --admin-name Ada --json',
      want: {
        command: 'org create',
        name: 'Acme',
        adminEmail: 'a@b.example',
        adminName: 'Ada',
        passwordStdin: false,
        json: true,
      },
    },
    {
      line: 'user reset-link a@b.example --json',
      want: { command: 'user reset-link', email: 'a@b.example', consoleUrl: undefined, json: true },
    },
    {
      line: 'user reset-link a@b.example --console https://w.example',
      want: {
        command: 'user reset-link',
        email: 'a@b.example',
        consoleUrl: 'https://w.example',
        json: false,
      },
    },
    {
      line: 'user codes-off a@b.example',
      want: { command: 'user codes-off', email: 'a@b.example', json: false },
    },
    {
      line: 'user sign-on-unlink a@b.example --json',
      want: { command: 'user sign-on-unlink', email: 'a@b.example', json: true },
    },
    {
      line: 'org add-admin Acme a@b.example --console https://w.example',
      want: {
        command: 'org add-admin',
        org: 'Acme',
        email: 'a@b.example',
        consoleUrl: 'https://w.example',
        json: false,
      },
    },
    { line: 'org list', want: { command: 'org list', q: undefined, ...page, json: false } },
    {
      line: 'org list --q ac --limit 5 --offset 10',
      want: { command: 'org list', q: 'ac', limit: 5, offset: 10, json: false },
    },
    {
      line: `org subscription ${ORG} --ends-at 2027-01-31T01:00:00+01:00`,
      want: {
        command: 'org subscription',
        org: Number(ORG),
        endsAt: '2027-01-31T00:00:00.000000Z',
        json: false,
      },
    },
    {
      line: `org limit ${ORG} api_keys 500`,
      want: { command: 'org limit', org: Number(ORG), name: 'api_keys', value: 500, json: false },
    },
    {
      line: `org delete ${ORG} --yes`,
      want: { command: 'org delete', org: Number(ORG), yes: true, json: false },
    },
    { line: 'org delete Acme', want: { command: 'org delete', org: 'Acme', yes: false, json: false } },
    {
      line: 'org timezone Acme Europe/Berlin',
      want: { command: 'org timezone', org: 'Acme', timezone: 'Europe/Berlin', json: false },
    },
    {
      line: `org subscription ${ORG} --ends-at never`,
      want: { command: 'org subscription', org: Number(ORG), endsAt: null, json: false },
    },
    {
      line: `key list --org ${ORG} --all`,
      want: { command: 'key list', org: Number(ORG), all: true, ...page, json: false },
    },
    {
      line: 'key list --org Acme',
      want: { command: 'key list', org: 'Acme', all: false, ...page, json: false },
    },
    {
      line: `key limit ${JTI} --per-minute 600`,
      want: { command: 'key limit', key: JTI.toLowerCase(), perMinute: 600, json: false },
    },
    {
      line: `key message-rate ${JTI} --per-second 500`,
      want: { command: 'key message-rate', key: JTI.toLowerCase(), perSecond: 500, json: false },
    },
    {
      line: 'key message-rate 7 --per-second default',
      want: { command: 'key message-rate', key: 7, perSecond: null, json: false },
    },
    {
      line: 'key limit 7 --per-minute default',
      want: { command: 'key limit', key: 7, perMinute: null, json: false },
    },
    { line: 'key revoke 7 --json', want: { command: 'key revoke', key: 7, json: true } },
    { line: 'signing-keys list', want: { command: 'signing-keys list', json: false } },
    { line: 'signing-keys rotate', want: { command: 'signing-keys rotate', json: false } },
    { line: '-- org list', want: { command: 'org list', q: undefined, ...page, json: false } },
  ])('$line', ({ line, want }) => expect(read(line)).toEqual({ request: want }))
})

describe('refused arguments', () => {
  test.for([
    { line: '', why: 'Usage: pnpm ops' },
    { line: 'org', why: 'Usage: pnpm ops org' },
    { line: 'organisation list', why: "unknown command 'organisation'" },
    { line: 'org lst', why: 'Did you mean list?' },
    { line: 'org list --nope', why: "unknown option '--nope'" },
    { line: 'org list extra', why: 'too many arguments' },
    { line: 'org list --limit 0', why: 'an integer from 1 to 1000' },
    { line: 'org list --limit 1e2', why: 'an integer from 1 to 1000' },
    { line: 'org list --offset -1', why: 'an integer from 0' },
    { line: 'org create --name Acme', why: "'--admin-email <address>' not specified" },
    { line: `org subscription ${ORG}`, why: "'--ends-at <instant|never>' not specified" },
    { line: `org subscription ${ORG} --ends-at tomorrow`, why: 'an RFC 3339 timestamp' },
    { line: `org subscription ${ORG} --ends-at 2027-02-30T00:00:00Z`, why: 'an RFC 3339 timestamp' },
    { line: 'org subscription 0 --ends-at never', why: 'its id (a positive integer) or its name' },
    { line: 'org add-admin Acme grace', why: 'It must be an e-mail address' },
    { line: 'key list --org 1.5', why: 'its id (a positive integer) or its name' },
    { line: 'key list', why: "'--org <org>' not specified" },
    { line: 'key limit 7 --per-minute 0', why: 'an integer from 1 to 1000000' },
    { line: 'key limit 7 --per-minute 1000001', why: 'an integer from 1 to 1000000' },
    { line: 'key message-rate 7 --per-second 0', why: 'an integer from 1 to 100000' },
    { line: 'key message-rate 7 --per-second 100001', why: 'an integer from 1 to 100000' },
    { line: 'key limit dock --per-minute 5', why: 'its jti (a UUID)' },
    { line: 'key revoke', why: "missing required argument 'key'" },
    { line: 'key revoke 0', why: 'its id (a positive integer)' },
    { line: 'signing-keys rotate now', why: 'too many arguments' },
  ])('"$line": $why', ({ line, why }) => {
    const reading = read(line)
    expect('wrong' in reading && reading.wrong).toContain(why)
  })
})

test.for([
  { line: '--help', says: 'Exit codes' },
  { line: 'org --help', says: 'subscription' },
  { line: 'org create --help', says: '--password-stdin' },
  { line: 'org list -h', says: '--q <text>' },
  { line: 'org subscription --help', says: '<org>' },
  { line: 'key --help', says: 'revoke' },
  { line: 'key list --help', says: '--all' },
  { line: 'key limit --help', says: '--per-minute <n|default>' },
  { line: 'key revoke --help', says: 'jti' },
  { line: 'signing-keys --help', says: 'rotate' },
  { line: 'signing-keys list --help', says: '--json' },
  { line: 'signing-keys rotate --help', says: 'ten minutes' },
  { line: 'help org', says: 'subscription' },
])('help: $line', ({ line, says }) => {
  const reading = read(line)
  expect('help' in reading && reading.help).toContain(says)
})

const wordsOf = (line: string) => [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)

describe('the example of each command', () => {
  test.for(Object.entries(EXAMPLES))('%s is accepted, and in both helps', ([command, example]) => {
    expect(readArguments(wordsOf(example))).toMatchObject({ request: { command } })
    for (const line of ['--help', `${command} --help`]) {
      const reading = read(line)
      expect('help' in reading && reading.help.split('\n')).toContain(`  pnpm ops ${example}`)
    }
    const help = read(`${command} --help`)
    expect('help' in help && help.help).toContain('--json')
  })
})
