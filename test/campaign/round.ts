import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { checkCauses, recoveryTimes, type Failure, type RanFault } from './ledger/causes.ts'
import { checkRound } from './ledger/check-round.ts'
import type { Finding } from './ledger/ledger.ts'
import { startCaller } from './load/caller.ts'
import { watchMovements } from './load/live-feed.ts'
import { startLoad, type Done } from './load/load.ts'
import { newTenant } from './load/tenant.ts'
import type { Kind } from './plan/kinds.ts'
import { describeFault, type Fault } from './plan/plan.ts'
import { ORGANIZATIONS } from './plan/targets.ts'
import { backlog } from './system/broker-state.ts'
import { startCampaignSystem, type CampaignSystem } from './system/campaign-system.ts'
import { canInject, inject, type ReaderClocks } from './system/inject.ts'

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
  /** For the logs of a round with findings. */
  logsFolder: string
  say: (line: string) => void
}

const REPAIR_MS = 120_000
const QUIET_MS = 240_000

/** One system, one plan, one ledger. */
export async function runRound({ seed, faults, ms, logsFolder, say }: RoundOptions): Promise<Round> {
  const system = await startCampaignSystem()
  try {
    const caller = startCaller(system.base)
    const tenants = []
    for (const n of ORGANIZATIONS) tenants.push(await newTenant(system, n))
    const feeds = await Promise.all(tenants.map(({ adminToken }) => watchMovements(system.base, adminToken)))
    const clocks: ReaderClocks = new Map()
    const load = startLoad({ system, tenants, caller, seed, clocks })
    const possible = faults.filter((fault) => canInject(fault, system))
    const ran = await runFaults(system, possible, { ms, clocks, say, findings: caller.findings })
    const done = await load.stop()
    say(`  the load has ended; waiting until nothing is on its way`)
    const { quietMs, left } = await untilQuiet(system)
    const checked = await checkRound({
      system,
      tenants,
      caller,
      done,
      deliveries: load.deliveries,
      feeds,
      faults: ran,
    })
    for (const feed of feeds) feed.stop()
    const findings = [
      ...caller.findings,
      ...left,
      ...system.exits.map(exitFinding),
      ...checkCauses(caller.failures, ran),
      ...checked.findings,
    ]
    await caller.close()
    if (findings.length > 0)
      keepFacts(system, logsFolder, { seed, findings, faults: ran, failures: caller.failures })
    return {
      seed,
      findings,
      faults: ran,
      skipped: faults.filter((fault) => !possible.includes(fault)),
      failures: caller.failures,
      requests: caller.counts,
      done,
      deliveries: load.deliveries.length,
      movements: checked.movements,
      quietMs,
      recovery: recoveryTimes(caller.failures, ran),
    }
  } finally {
    await system.stop()
  }
}

function keepFacts(system: CampaignSystem, folder: string, facts: object): void {
  system.keepLogs(folder)
  writeFileSync(join(folder, 'facts.json'), JSON.stringify(facts, null, 2))
}

const exitFinding = ({ replica, atMs, reason, log }: CampaignSystem['exits'][number]): Finding => ({
  kind: 'process ended by itself',
  what: `${replica} ended at ${new Date(atMs).toISOString()}: ${reason}\n${log}`,
})

type Running = { ms: number; clocks: ReaderClocks; say: (line: string) => void; findings: Finding[] }

/** Makes the faults at their times. Resolves when the load has lasted `ms` and everything that was hit works again. */
async function runFaults(
  system: CampaignSystem,
  faults: readonly Fault[],
  { ms, clocks, say, findings }: Running,
): Promise<RanFault[]> {
  const startedAt = performance.now()
  const until = (atMs: number) => wait(Math.max(0, startedAt + atMs - performance.now()))
  const ran: RanFault[] = []
  const running = faults.map(async (fault) => {
    await until(fault.atMs)
    say(`  ${describeFault(fault)}`)
    ran.push(await inject(system, fault, clocks))
  })
  await until(ms)
  const repaired = await Promise.race([
    Promise.all(running).then(() => true),
    wait(REPAIR_MS, false, { ref: false }),
  ])
  if (!repaired) {
    const done = new Set(ran.map(({ index }) => index))
    const stuck = faults.filter(({ index }) => !done.has(index))
    findings.push(...stuck.map((fault) => ({ kind: 'not repaired', what: describeFault(fault) })))
  }
  for (const link of system.links.values()) link.heal()
  return ran
}

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
