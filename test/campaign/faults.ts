import { setTimeout as wait } from 'node:timers/promises'
import type { RanFault } from './ledger/causes.ts'
import type { Finding } from './ledger/ledger.ts'
import { describeFault, type Fault } from './plan/plan.ts'
import type { CampaignSystem } from './system/campaign-system.ts'
import { inject, type ReaderClocks } from './system/inject.ts'
import { reasonOf } from './verdict.ts'

const REPAIR_MS = 120_000

type Options = {
  ms: number
  clocks: ReaderClocks
  ran: RanFault[]
  say: (line: string) => void
  findings: Finding[]
}

export type Faults = {
  /** Resolves when the load has lasted `ms` and everything that was hit works again. */
  done: Promise<void>
  /** Makes no more faults, and waits for those under way: they start again what they stopped. */
  stop(): Promise<void>
}

/** Makes the faults at their times. One that could not be undone is a finding. */
export function runFaults(
  system: CampaignSystem,
  faults: readonly Fault[],
  { ms, clocks, ran, say, findings }: Options,
): Faults {
  const startedAt = performance.now()
  const ending = new AbortController()
  const until = (atMs: number) =>
    wait(Math.max(0, startedAt + atMs - performance.now()), undefined, { signal: ending.signal })
  const open = new Set(faults)
  const make = async (fault: Fault) => {
    await until(fault.atMs)
    say(`  ${describeFault(fault)}`)
    try {
      ran.push(await inject(system, fault, clocks))
    } catch (error) {
      findings.push({ kind: 'not repaired', what: `${describeFault(fault)}: ${reasonOf(error)}` })
    }
    open.delete(fault)
  }
  const running = Promise.allSettled(faults.map(make))

  async function untilRepaired(): Promise<void> {
    await until(ms)
    await Promise.race([running, wait(REPAIR_MS, undefined, { signal: ending.signal })])
    for (const fault of open) findings.push({ kind: 'not repaired', what: describeFault(fault) })
    for (const link of system.links.values()) link.heal()
  }
  const done = untilRepaired()
  done.catch(() => undefined) // a round that ends early does not wait for it
  return {
    done,
    async stop() {
      ending.abort()
      await running
    },
  }
}
