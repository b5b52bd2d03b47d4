import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { connect, type NatsConnection } from 'nats'
import { withNow } from '../against/systems.ts'
import { reportOf, type Ask } from '../ingest/delay.ts'
import { announce, announceKeys, configureReaders, restartTracking } from '../ingest/warehouse.ts'
import { quantile, table } from '../load/figures.ts'
import { readFlags } from '../load/flags.ts'
import { cpuSecondsOf } from '../load/processes.ts'
import { atMost, verdictTable, type Verdict } from '../load/verdict.ts'
import { floods, orgsOf, startFlood, type Flood } from './floods.ts'
import type { Flooded } from './flood-process.ts'
import { QUIET_ORG, timeScans } from './quiet.ts'
import { createReaderKeys, endSuspensions } from './reader-keys.ts'

export const FAIRNESS_HELP = `pnpm bench fairness [flags]   measure scan to report of one organization, alone and during a flood of another

  --rounds N        rounds of alone and each flood, 1 to 10                default 3
  --seconds N       time of each part, 5 to 60                           default 15
  --per-second N    timed scans a second, 1 to 50                        default 10
  --only TEXT       only floods with this text in their name
`

const FLOOD_ASSETS = 10_000
const WARM_UP_SECONDS = 5
/** A flood continues this long after the last scan was sent, while scans are still in flight. */
const AFTER_SECONDS = 5
/** The largest accepted ratio to the p99 of the same round without a flood. */
const MOST = 3

type Settings = { rounds: number; seconds: number; perSecond: number; floods: readonly Flood[] }
type Bench = {
  stack: Stack
  nc: NatsConnection
  ask: Ask
  settings: Settings
  say: (text: string) => void
  next: () => number
}
/** One part of one round. */
type Part = { name: string; ms: number[]; ratio: number; flooded: Flooded | undefined; cores: number }

const NUMBERS = { rounds: [1, 10, 3], seconds: [5, 60, 15], 'per-second': [1, 50, 10] } as const

/** Starts broker, database, keys and tracking on throwaway data, measures and prints tables. */
export function benchFairness(args: string[], say: (text: string) => void): Promise<boolean> {
  const { numbers, only } = readFlags(args, NUMBERS, { only: { type: 'string', default: '' } })
  const settings: Settings = {
    ...numbers,
    perSecond: numbers['per-second'],
    floods: floods.filter(({ name }) => name.includes(only)),
  }
  return withNow({ services: ['keys', 'catalog', 'tracking'], say }, async ({ stack }) => {
    const pass = stack.secrets.nats.services_password
    const nc = await connect({ servers: stack.urls.nats, user: 'services', pass })
    try {
      await prepare(stack, nc, settings)
      let asset = -1
      const next = () => (asset += 1)
      const ask = await reportOf(stack, QUIET_ORG)
      const verdicts = await measure({ stack, nc, ask, settings, say, next })
      say(verdictTable(verdicts))
      return verdicts.every(({ reached }) => reached)
    } finally {
      await nc.close()
    }
  })
}

async function prepare(stack: Stack, nc: NatsConnection, settings: Settings) {
  const { rounds, seconds, perSecond } = settings
  const parts = settings.floods.length + 1
  const quietAssets = parts * (rounds * seconds + WARM_UP_SECONDS) * perSecond
  const flooding = settings.floods.flatMap(orgsOf)
  await configureReaders(stack, [QUIET_ORG, ...flooding])
  await announce(nc, { orgs: [QUIET_ORG], assetsPerOrg: quietAssets })
  await announce(nc, { orgs: flooding, assetsPerOrg: FLOOD_ASSETS }, { keys: false })
  for (const flood of settings.floods)
    for (const org of orgsOf(flood)) {
      await createReaderKeys(stack, org, flood.keys)
      await announceKeys(nc, org, flood.keys) // the keys service does not publish rows that it did not insert
    }
  await restartTracking(stack)
}

async function measure(bench: Bench): Promise<Verdict[]> {
  const { settings, say } = bench
  const { rounds, seconds } = settings
  for (const flood of [undefined, ...settings.floods]) await runPart(bench, flood, WARM_UP_SECONDS)
  const byFlood = new Map<Flood, number[]>()
  for (let round = 1; round <= rounds; round += 1) {
    const alone = await runPart(bench, undefined, seconds)
    const parts = [alone]
    // Every other round runs in the opposite order, so that no part always runs after the same other one.
    for (const flood of round % 2 === 0 ? settings.floods.toReversed() : settings.floods) {
      const part = await runPart(bench, flood, seconds)
      part.ratio = quantile(part.ms, 0.99) / quantile(alone.ms, 0.99)
      byFlood.set(flood, [...(byFlood.get(flood) ?? []), part.ratio])
      parts.push(part)
    }
    say(`\nRound ${round}: scan to report of one organization\n${tableOf(parts)}\n`)
  }
  return [...byFlood].map(([{ name }, ratios]) => atMost(`${name}: p99 ÷ alone`, MOST, ratios, ''))
}

async function runPart(bench: Bench, flood: Flood | undefined, seconds: number): Promise<Part> {
  const { stack, settings, next } = bench
  const { pid } = stack.service('tracking')
  const [startedAt, cpuBefore] = [performance.now(), cpuSecondsOf(pid)]
  await endSuspensions(stack)
  const running = flood && (await startFlood(stack, flood, FLOOD_ASSETS))
  const timed = timeScans(bench, { seconds, perSecond: settings.perSecond, next })
  // Later scans compete only with the rest of the flood.
  await Promise.race([timed, delay((seconds + AFTER_SECONDS) * 1_000)])
  const flooded = await running?.stop()
  const ms = await timed
  const cores = (cpuSecondsOf(pid) - cpuBefore) / ((performance.now() - startedAt) / 1_000)
  await dropFlood(bench.nc)
  return { name: flood?.name ?? 'alone', ms, ratio: 1, flooded, cores }
}

/**
 * Drops the rest of a flood from SCANS, so that the next part does not compete with it. Waits until OVERFLOW is
 * empty.
 */
async function dropFlood(nc: NatsConnection): Promise<void> {
  const jsm = await nc.jetstreamManager()
  const { config } = await jsm.streams.info('SCANS')
  // The broker refuses to purge it, but applies new limits.
  await jsm.streams.update('SCANS', { ...config, max_msgs: 1 })
  await jsm.streams.update('SCANS', config)
  const until = Date.now() + 120_000
  for (const durable of ['tracking-ingest', 'tracking-overflow'] as const) {
    const stream = durable === 'tracking-ingest' ? 'SCANS' : 'OVERFLOW'
    for (;;) {
      const { num_pending, num_ack_pending } = await jsm.consumers.info(stream, durable)
      if (num_pending + num_ack_pending === 0) break
      if (Date.now() > until)
        throw new Error(`${durable} holds ${num_ack_pending} messages after two minutes`)
      await delay(50)
    }
  }
}

function tableOf(parts: readonly Part[]): string {
  const head = [
    '',
    'n',
    'p50 ms',
    'p90 ms',
    'p99 ms',
    'longest',
    'p99 ÷ alone',
    'flood: reads/s',
    'MB/s',
    'cut off',
    'cores of tracking',
  ]
  const rows = parts.map(({ name, ms, ratio, flooded, cores }) => [
    name,
    String(ms.length),
    ...[0.5, 0.9, 0.99, 1].map((share) => quantile(ms, share).toFixed(1)),
    ratio.toFixed(2),
    flooded ? Math.round(flooded.reads / flooded.seconds).toLocaleString('en') : '-',
    flooded ? (flooded.bytes / flooded.seconds / 1e6).toFixed(1) : '-',
    flooded ? String(flooded.cutOff) : '-',
    cores.toFixed(2),
  ])
  return table([head, ...rows])
}
