import type { Stack } from '@whereabouts/deploy/local/stack'
import type { LoadGenerator, LoadRequest } from '../load/load.ts'
import { compare, type Comparison, type Side } from '../load/compare.ts'
import type { Caller, Filled } from './fill.ts'
import type { Verdict } from '../load/verdict.ts'
import { comparisonTable } from './table.ts'

export type Bench = {
  stack: Stack
  generator: LoadGenerator
  filled: Filled
  /** Scales all times; 1 is that of the published results. */
  effort: number
  say: (text: string) => void
}

export const CONNECTIONS = 16
const ROUNDS = 5
export const ROUND_SECONDS = 2
const CLOCK = { perSecond: 200, seconds: 3, connections: 32 }
const CLOCK_ROUNDS = 7

/** Paths and callers in turn; 1009 is prime, so that every caller requests every path. */
export function getsOf(paths: readonly string[], headers: readonly Record<string, string>[]): LoadRequest[] {
  return Array.from({ length: 1009 }, (_, i) => ({
    path: paths[(i * 7) % paths.length] ?? '/',
    headers: headers[i % headers.length] ?? {},
  }))
}

export const byId = ({ assetIds }: Filled) => assetIds.map((id) => `/api/v1/assets/${id}`)
export const lists = () =>
  Array.from({ length: 10 }, (_, page) => `/api/v1/assets?limit=50&offset=${page * 50}`)

/** Both routes to the same data, the direct one first. */
function bothWays({ stack, filled: { callers } }: Bench, paths: readonly string[]): Side[] {
  const headers = (way: 'direct' | 'through') => callers.map((caller: Caller) => caller[way])
  return [
    {
      name: 'at catalog',
      origin: stack.urls.api.catalog,
      asked: getsOf(paths, headers('direct')),
      expectStatus: 200,
    },
    {
      name: 'through gateway',
      origin: stack.urls.base,
      asked: getsOf(paths, headers('through')),
      expectStatus: 200,
    },
  ]
}

const closedLoop = ({ effort }: Bench) => ({ connections: CONNECTIONS, seconds: ROUND_SECONDS * effort })

/** Requests per second without a pause, and their cost. */
export async function measureThroughput(bench: Bench): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const [name, paths] of [
    ['GET asset by id', byId(bench.filled)],
    ['GET list of 50 rows', lists()],
  ] as const) {
    const result = await compare(bench, bothWays(bench, paths), closedLoop(bench), ROUNDS)
    bench.say(comparisonTable(`${name}, ${CONNECTIONS} connections without a pause`, result))
    const ratio = result.ratios[0] ?? Number.NaN
    verdicts.push({
      what: `${name}: through ÷ direct`,
      wanted: '≥ 0.60',
      got: ratio.toFixed(2),
      reached: ratio >= 0.6,
    })
  }
  return verdicts
}

/** The time that the gateway adds to a request while the machine is not saturated. */
export async function measureAddedDelay(bench: Bench): Promise<Verdict[]> {
  const load = { ...CLOCK, seconds: CLOCK.seconds * bench.effort }
  const result = await compare(bench, bothWays(bench, byId(bench.filled)), load, CLOCK_ROUNDS)
  bench.say(comparisonTable(`GET asset by id, ${CLOCK.perSecond} requests/s by the clock`, result))
  const added = result.addedP99[0] ?? Number.NaN
  return [
    {
      what: `p99 added at ${CLOCK.perSecond} requests/s`,
      wanted: '≤ 3 ms',
      got: `${added.toFixed(2)} ms`,
      reached: added <= 3,
    },
  ]
}

/** Refusals per second against served requests per second. */
export async function measureRefusals(bench: Bench): Promise<Verdict[]> {
  const { filled, stack } = bench
  const agent = { 'user-agent': filled.limited.through['user-agent'] ?? '' }
  const side = (name: string, headers: Record<string, string>[], expectStatus: number): Side => ({
    name,
    origin: stack.urls.base,
    asked: getsOf(byId(filled), headers),
    expectStatus,
    ...(expectStatus === 429 && { strayStatus: 200 }),
  })
  const forged = filled.callers.map(({ token }) => ({ ...agent, authorization: `Bearer ${forge(token)}` }))
  const sides = [
    side('served', filled.callers.map((caller) => caller.through), 200), // oxfmt-ignore
    side('401 without a token', [agent], 401),
    side('401 forged signature', forged, 401),
    side('429', [filled.limited.through], 429),
  ]
  await emptyBucket(bench)
  const result: Comparison = await compare(bench, sides, closedLoop(bench), 3)
  bench.say(comparisonTable(`Refusals at the gateway, ${CONNECTIONS} connections`, result))
  return sides.slice(1).map(({ name }, i) => {
    const ratio = result.ratios[i] ?? Number.NaN
    return { what: `${name} ÷ served`, wanted: '≥ 2.00', got: ratio.toFixed(2), reached: ratio >= 2 }
  })
}

/** A token with a wrong signature: the most expensive refusal. */
export function forge(token: string): string {
  const at = token.lastIndexOf('.') + 1
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
}

export async function emptyBucket({
  stack,
  filled: { limited },
}: Pick<Bench, 'stack' | 'filled'>): Promise<void> {
  const ask = async () => {
    const response = await fetch(`${stack.urls.base}/api/v1/assets?limit=1`, { headers: limited.through })
    await response.body?.cancel()
    return response.status
  }
  for (let i = 0; i < 5; i += 1) if ((await ask()) === 429) return
  throw new Error('a key of one request a minute was not refused')
}
