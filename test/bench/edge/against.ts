import { randomUUID } from 'node:crypto'
import { createClient, unwrap } from '@whereabouts/client/client'
import type { Stack } from '@whereabouts/deploy/local/stack'
import { ratioVerdict } from '../against/ratios.ts'
import { withBoth, type System } from '../against/systems.ts'
import { startLoadGenerator, type LoadRequest } from '../load/load.ts'
import { compare, type Side } from '../load/compare.ts'
import type { Filled } from './fill.ts'
import { verdictTable, type Verdict } from '../load/verdict.ts'
import { comparisonTable } from './table.ts'
import { byId, CONNECTIONS, emptyBucket, forge, getsOf, lists, ROUND_SECONDS } from './speed.ts'

const ASSETS = 3_000
const KEYS = 16
const AGENT = { 'user-agent': 'whereabouts-bench/1' }

type Target = { name: string; stack: Stack; filled: Filled; tokenRequests: LoadRequest[] }

/** Requests for both sides in turn, and the expected status. */
type Question = {
  title: string
  status: number
  asked: (target: Target) => LoadRequest[]
  before?: (target: Target) => Promise<void>
  strayStatus?: number
}

const headersOf = ({ filled }: Target) => filled.callers.map((caller) => caller.through)

const QUESTIONS: Question[] = [
  {
    title: 'GET asset by id',
    status: 200,
    asked: (target) => getsOf(byId(target.filled), headersOf(target)),
  },
  { title: 'GET list of 50 rows', status: 200, asked: (target) => getsOf(lists(), headersOf(target)) },
  { title: '401 without a token', status: 401, asked: ({ filled }) => getsOf(byId(filled), [AGENT]) },
  {
    title: '401 forged signature',
    status: 401,
    asked: ({ filled }) => {
      const forged = filled.callers.map(({ token }) => `Bearer ${forge(token)}`)
      const headers = forged.map((authorization) => Object.assign({ authorization }, AGENT))
      return getsOf(byId(filled), headers)
    },
  },
  {
    title: '429',
    status: 429,
    asked: ({ filled }) => getsOf(byId(filled), [filled.limited.through]),
    before: emptyBucket,
    strayStatus: 200,
  },
  { title: 'token of an API key', status: 200, asked: ({ tokenRequests }) => tokenRequests },
]

export type AgainstSettings = { against: string; rounds: number; effort: number }

/** Compares the gateway of another version with this one: the same requests in alternating rounds. */
export function benchEdgeAgainst(
  { against, rounds, effort }: AgainstSettings,
  say: (text: string) => void,
): Promise<boolean> {
  return withBoth({ against, services: ['keys', 'catalog', 'gateway'], say }, async (both) => {
    const systems = [both.base, both.now]
    say(`Filling both with ${ASSETS} assets …\n`)
    const targets: Target[] = []
    for (const system of systems) targets.push(await fill(system))
    const generator = startLoadGenerator()
    const load = { connections: CONNECTIONS, seconds: ROUND_SECONDS * effort }
    const verdicts: Verdict[] = []
    try {
      for (const question of QUESTIONS) {
        for (const target of targets) await question.before?.(target)
        const sides = targets.map((target) => sideOf(target, question))
        const result = await compare({ stack: both.now.stack, generator }, sides, load, rounds)
        say(comparisonTable(`${question.title}, ${CONNECTIONS} connections without a pause`, result))
        verdicts.push(ratioVerdict(`${question.title}: now ÷ ${both.base.name}`, result.roundRatios[0] ?? []))
      }
    } finally {
      await generator.stop()
    }
    say(`${verdictTable(verdicts)}\n`)
    return verdicts.every(({ reached }) => reached)
  })
}

const sideOf = (target: Target, { status, asked, strayStatus }: Question): Side => ({
  name: target.name,
  stack: target.stack,
  origin: target.stack.urls.base,
  asked: asked(target),
  expectStatus: status,
  ...(strayStatus !== undefined && { strayStatus }),
})

async function fill({ name, stack, load }: System): Promise<Target> {
  const { fillOrganization } = await load('test/bench/edge/fill.ts')
  const filled = await fillOrganization(stack, { assets: ASSETS, keys: KEYS })
  return { name, stack, filled, tokenRequests: await newTokenRequests(stack.urls.base) }
}

/** Exchanges of client credentials, with keys of an organization without other data. */
async function newTokenRequests(baseUrl: string): Promise<LoadRequest[]> {
  const someone = { name: 'Ada', email: 'ada@tokens.example', password: `${randomUUID()} for tokens` }
  const signup = await createClient({ baseUrl }).POST('/api/v1/auth/signup', {
    body: { org_name: 'Tokens', ...someone },
  })
  const { access_token: token, org } = unwrap(signup).data
  const admin = createClient({ baseUrl, token })
  const requests: LoadRequest[] = []
  for (let i = 0; i < KEYS; i += 1) {
    const created = await admin.POST('/api/v1/orgs/{org_id}/api-keys', {
      params: { path: { org_id: org.id } },
      body: { name: 'bench', scopes: ['assets:read'] },
    })
    const { client_id, client_secret } = unwrap(created).data
    const body = JSON.stringify({ grant_type: 'client_credentials', client_id, client_secret })
    const headers = { ...AGENT, 'content-type': 'application/json' }
    requests.push({ path: '/api/v1/oauth/token', headers, body })
  }
  return requests
}
