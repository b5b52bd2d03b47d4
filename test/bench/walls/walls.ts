import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { headersSignedWith } from '@whereabouts/testing/caller'
import { createHash } from 'node:crypto'
import pg from 'pg'
import { Client } from 'undici'
import { withNow } from '../against/systems.ts'
import { atMost, verdictTable } from '../load/verdict.ts'
import { median, table } from '../load/figures.ts'
import { asOwner } from '../load/database.ts'
import { readFlags } from '../load/flags.ts'
import { cpuSecondsOf } from '../load/processes.ts'
import { fillKeys, fillTracking, KEYS, ORGS } from './fill.ts'

export const WALLS_HELP = `pnpm bench walls [flags]    measure the cost of row-level security per request of tracking and keys

  --effort X        scale the time of measurement, 0.1 to 5              default 1
`

const WANTED = 1.1
const WARM = 10
const ROUNDS = 8
const FIRST_ORG = ORGS[0] ?? 0
const SECRET = `wb_${'5'.repeat(64)}`

/** The `n`-th request of an organization for its own data. */
type Question = {
  name: string
  service: 'tracking' | 'keys'
  ask(orgId: number, n: number): { method: 'GET' | 'POST'; path: string; body?: unknown }
}

const get = (service: Question['service'], name: string, path: (orgId: number) => string): Question => ({
  name,
  service,
  ask: (orgId) => ({ method: 'GET', path: `/api/v1${path(orgId)}` }),
})

const QUESTIONS: Question[] = [
  get('tracking', 'readers', () => '/readers'),
  get('tracking', 'report of 50', () => '/reports/asset-locations?limit=50'),
  get(
    'tracking',
    'report, one location',
    (org) => `/reports/asset-locations?location_id=${org * 1e6 + 500_007}`,
  ),
  get('tracking', 'report, search', () => '/reports/asset-locations?q=forklift%20123'),
  get('keys', 'API keys', (org) => `/orgs/${org}/api-keys`),
  get('keys', 'members', (org) => `/orgs/${org}/members`),
  {
    name: 'token exchange',
    service: 'keys',
    ask(orgId, n) {
      const key = String(orgId * 1_000 + (n % KEYS)).padStart(12, '0')
      const client_id = `00000000-0000-4000-8000-${key}`
      const body = { grant_type: 'client_credentials', client_id, client_secret: SECRET }
      return { method: 'POST', path: '/api/v1/oauth/token', body }
    },
  },
]

/**
 * In turns, each request is of another organization than the one before on its connection: the worst case. Without the
 * walls, the tables have no row-level security, and connections have no organization.
 */
const WAYS = [
  { walls: true, orgs: ORGS },
  { walls: true, orgs: [FIRST_ORG] },
  { walls: false, orgs: [FIRST_ORG] },
] as const

/**
 * Starts tracking and keys on throwaway data, measures and prints a table. Resolves with true if every target was
 * reached.
 */
export function benchWalls(args: string[], say: (text: string) => void): Promise<boolean> {
  const { effort } = readFlags(args, { effort: [0.1, 5, 1] }, {}).numbers
  return withNow({ services: ['tracking', 'keys'], say }, async ({ stack }) => {
    await asOwner(stack, 'tracking', fillTracking)
    await asOwner(stack, 'keys', (owner) => fillKeys(owner, createHash('sha256').update(SECRET).digest()))
    return measureAll(stack, effort, say)
  })
}

async function measureAll(stack: Stack, effort: number, say: (text: string) => void): Promise<boolean> {
  const rows: string[][] = []
  const ratios: { service: string; ratio: number }[] = []
  for (const question of QUESTIONS) {
    const taken = await measure(stack, question, Math.round(200 * effort))
    const [turns = none, one = none, without = none] = taken.map(figuresOf)
    ratios.push({ service: question.service, ratio: turns.cpu / without.cpu })
    const ofWays = [turns, one, without].flatMap(({ ms, cpu }) => [ms.toFixed(2), (cpu * 1e6).toFixed(0)])
    const quotients = [turns, one].map(({ cpu }) => (cpu / without.cpu).toFixed(3))
    rows.push([`${question.service}: ${question.name}`, ...ofWays, ...quotients])
  }
  const head = [
    '',
    'in turns, p50 ms',
    'µs',
    'one org., ms',
    'µs',
    'without, ms',
    'µs',
    'ratio in turns',
    'one org.',
  ]
  say(`\nThe same requests with and without the walls, in alternating rounds\n${table([head, ...rows])}\n`)
  say('  µs: processor time of the service and PostgreSQL for each request. The ratios compare it.\n')
  const verdicts = (['tracking', 'keys'] as const).map((service) => {
    const ofService = ratios.filter((one) => one.service === service).map(({ ratio }) => ratio)
    return atMost(`${service}: median of the ratios`, WANTED, ofService, '')
  })
  say(verdictTable(verdicts))
  return verdicts.every(({ reached }) => reached)
}

/** One request: milliseconds, and seconds of processor time. */
type Taken = { ms: number; cpu: number }
const none: Taken = { ms: Number.NaN, cpu: Number.NaN }

/** The median of the rounds. Processor time changes least when other programs run. */
const figuresOf = (rounds: readonly Taken[]): Taken => ({
  ms: median(rounds.map(({ ms }) => ms)),
  cpu: median(rounds.map(({ cpu }) => cpu)),
})

/** The result of each way in each round, without the first round. */
async function measure(stack: Stack, question: Question, requests: number): Promise<Taken[][]> {
  const client = new Client(stack.urls.api[question.service], { pipelining: 1 })
  const ask = await requesterOf(client, stack.secrets.principal_private_key, question)
  const cpuNow = () =>
    cpuSecondsOf(stack.service(question.service).pid) + cpuSecondsOf(stack.postgres.pid, { children: true })
  const taken: Taken[][] = WAYS.map(() => [])
  await asOwner(stack, question.service, async (owner) => {
    const tables = await walledTables(owner)
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [i, { walls, orgs }] of WAYS.entries()) {
        await setWalls(owner, tables, walls)
        await oneRound(ask, orgs, WARM) // statements are planned again
        const before = cpuNow()
        const ms = await oneRound(ask, orgs, requests)
        if (round > 0) taken[i]?.push({ ms: median(ms), cpu: (cpuNow() - before) / requests })
      }
  }).finally(() => client.close())
  return taken
}

async function walledTables(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relnamespace = current_schema()::regnamespace and relrowsecurity`,
  )
  return rows.map(({ name }) => name)
}

async function setWalls(owner: pg.Client, tables: readonly string[], on: boolean): Promise<void> {
  for (const name of tables)
    await owner.query(`alter table ${name} ${on ? 'enable' : 'disable'} row level security`)
}

/** Sends requests as an administrator of the organization. Throws unless they succeed. */
async function requesterOf(client: Client, seed: string, question: Question) {
  const headersOf = new Map<number, Record<string, string>>()
  for (const orgId of ORGS) {
    const principal = {
      kind: 'session' as const,
      orgId,
      scopes: [],
      userId: orgId * 100,
      role: 'admin' as const,
    }
    const signed = await headersSignedWith(seed, principal, question.service)
    headersOf.set(orgId, { ...signed, 'content-type': 'application/json' })
  }
  return async (orgId: number, n: number) => {
    const { method, path, body } = question.ask(orgId, n)
    const headers = headersOf.get(orgId) ?? {}
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await client.request({ method, path, headers, ...sent })
    const text = await reply.body.text()
    if (reply.statusCode >= 300) throw new Error(`${method} ${path} answered ${reply.statusCode}: ${text}`)
  }
}

/** Milliseconds of each request. */
async function oneRound(
  ask: (orgId: number, n: number) => Promise<void>,
  orgs: readonly number[],
  requests: number,
): Promise<number[]> {
  const taken: number[] = []
  for (let n = 0; n < requests; n += 1) {
    const at = performance.now()
    await ask(orgs[n % orgs.length] ?? FIRST_ORG, n)
    taken.push(performance.now() - at)
  }
  return taken
}
