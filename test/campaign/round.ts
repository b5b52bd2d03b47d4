import { setTimeout as wait } from 'node:timers/promises'
import { runFaults } from './faults.ts'
import { checkCauses, recoveryTimes, type Failure, type RanFault } from './ledger/causes.ts'
import { checkRound } from './ledger/check-round.ts'
import type { Finding } from './ledger/ledger.ts'
import { startCaller } from './load/caller.ts'
import { watchMovements } from './load/live-feed.ts'
import { startLoad, type Done } from './load/load.ts'
import { newTenant, type Tenant } from './load/tenant.ts'
import { Owners } from './owners.ts'
import type { Kind } from './plan/kinds.ts'
import type { Fault } from './plan/plan.ts'
import { ORGANIZATIONS } from './plan/targets.ts'
import { backlog } from './system/broker-state.ts'
import { startCampaignSystem, type CampaignSystem } from './system/campaign-system.ts'
import { canInject, type ReaderClocks } from './system/inject.ts'
import { newPlace, type Place } from './system/place.ts'
import { NoVerdict, reasonOf } from './verdict.ts'

export type Round = {
  seed: number
  findings: Finding[]
  faults: RanFault[]
  /** Faults that this machine cannot make. */
  skipped: Fault[]
  failures: Failure[]
  requests: ReadonlyMap<string, number>
  done: Done
  deliveries: number
  movements: number
  /** From the end of the load until nothing was on its way, in ms. */
  quietMs: number
  recovery: ReadonlyMap<Kind, number>
}

export type RoundOptions = {
  seed: number
  faults: readonly Fault[]
  /** The length of the load. */
  ms: number
  /** For the logs of a round with findings, or without a verdict. */
  logsFolder: string
  say: (line: string) => void
  /** Rejects when the program itself is broken or told to stop. */
  interrupted: Promise<never>
  /** For how long a reader repeats a refused first login, in ms. */
  loginMs?: number
  /** Starts what is disturbed. */
  start?: (place: Place, owners: Owners) => Promise<CampaignSystem>
}

const LOGIN_MS = 60_000
const QUIET_MS = 240_000
/** Start, repair and check of a round take less than this together. */
const REST_MS = 20 * 60_000

type Facts = Pick<Round, 'seed' | 'findings' | 'faults' | 'failures'>

/**
 * One system, one plan, one ledger. However it ends, everything that it opened is closed. Throws NoVerdict when it cannot
 * be judged, with logs and facts kept.
 */
export async function runRound(options: RoundOptions): Promise<Round> {
  const { seed, ms, logsFolder, say, interrupted } = options
  const owners = new Owners()
  const place = newPlace(owners)
  const facts: Facts = { seed, findings: [], faults: [], failures: [] }
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => limit.reject(new Error(`the round did not end in ${Math.round((ms + REST_MS) / 60_000)} minutes`)),
    ms + REST_MS,
  )
  try {
    const round = await Promise.race([play(options, { place, owners, facts }), interrupted, limit.promise])
    if (round.findings.length > 0) place.keep(logsFolder, facts)
    return round
  } catch (error) {
    throw new NoVerdict(`${reasonOf(error)}. ${keptWithout(place, { ...facts, error }, logsFolder)}`, {
      cause: error,
    })
  } finally {
    clearTimeout(timer)
    for (const left of await owners.close()) say(`  left open: ${left}`)
  }
}

function keptWithout(place: Place, { error, ...facts }: Facts & { error: unknown }, folder: string): string {
  const verdict = `no verdict: ${error instanceof Error ? (error.stack ?? reasonOf(error)) : reasonOf(error)}`
  try {
    place.keep(folder, { ...facts, verdict })
    return `Logs and facts: ${folder}`
  } catch (problem) {
    return `Its logs could not be kept: ${reasonOf(problem)}`
  }
}

type Opened = { place: Place; owners: Owners; facts: Facts }

async function play(options: RoundOptions, { place, owners, facts }: Opened): Promise<Round> {
  const { seed, faults, ms, say, loginMs = LOGIN_MS, start = startCampaignSystem } = options
  const system = await start(place, owners)
  const caller = startCaller(system.base)
  owners.add('requests', () => caller.close())
  facts.failures = caller.failures
  facts.findings = caller.findings
  const tenants: Tenant[] = []
  for (const n of ORGANIZATIONS) tenants.push(await newTenant(system, n))
  const feeds = await Promise.all(
    tenants.map(async ({ adminToken }) => {
      const feed = await watchMovements(system.base, adminToken)
      owners.add('live feed', () => feed.stop())
      return feed
    }),
  )
  const clocks: ReaderClocks = new Map()
  const load = startLoad({ system, tenants, caller, seed, clocks, loginMs })
  owners.add('load', () => load.stop().catch(() => undefined)) // its failure has ended the round
  const possible = faults.filter((fault) => canInject(fault, system))
  const ran = facts.faults
  const running = runFaults(system, possible, { ms, clocks, ran, say, findings: caller.findings })
  owners.add('faults', () => running.stop())
  await Promise.race([running.done, load.failed])
  const done = await load.stop()
  say(`  the load has ended; waiting until nothing is on its way`)
  const { quietMs, left } = await untilQuiet(system)
  const { deliveries } = load
  const checked = await checkRound({
    system,
    tenants,
    caller,
    done,
    deliveries,
    feeds,
    faults: ran,
    seed,
    ms,
  })
  facts.findings = [
    ...caller.findings,
    ...left,
    ...system.exits.map(exitFinding),
    ...checkCauses(caller.failures, ran),
    ...checked.findings,
  ]
  return {
    seed,
    findings: facts.findings,
    faults: ran,
    skipped: faults.filter((fault) => !possible.includes(fault)),
    failures: caller.failures,
    requests: caller.counts,
    done,
    deliveries: deliveries.length,
    movements: checked.movements,
    quietMs,
    recovery: recoveryTimes(caller.failures, ran),
  }
}

const exitFinding = ({ replica, atMs, reason, log }: CampaignSystem['exits'][number]): Finding => ({
  kind: 'process ended by itself',
  what: `${replica} ended at ${new Date(atMs).toISOString()}: ${reason}\n${log}`,
})

/** Polls until no message is on its way and the public address answers. */
async function untilQuiet(system: CampaignSystem): Promise<{ quietMs: number; left: Finding[] }> {
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  let waiting: string[] = []
  while (elapsed() < QUIET_MS) {
    waiting = await backlog(system.stack).catch((error: unknown) => [String(error)])
    if (waiting.length === 0) waiting = await unreadyReplicas(system)
    if (waiting.length === 0) return { quietMs: elapsed(), left: [] }
    await wait(500)
  }
  return { quietMs: elapsed(), left: [{ kind: 'never quiet', what: waiting.join(', ') }] }
}

async function unreadyReplicas({ replicas }: CampaignSystem): Promise<string[]> {
  const looks = [...replicas.values()].map(async (replica) =>
    (await replica.isReady()) ? [] : [`${replica.name} is not ready`],
  )
  return (await Promise.all(looks)).flat()
}
