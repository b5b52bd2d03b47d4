import type { Fault } from '../plan/plan.ts'
import type { Kind } from '../plan/kinds.ts'
import { CLIENT_LINK, REPLICATED, serviceOf } from '../plan/targets.ts'
import { instant, type Finding } from './ledger.ts'

/** Parts that a request needs besides the gateway and PostgreSQL. */
export type Part = (typeof REPLICATED)[number] | 'broker'

/** A request that was answered with a 5xx or not at all, or a process that ended. `needs`: whatever it depends on. */
export type Failure = {
  what: string
  startedAtMs: number
  endedAtMs: number
  needs: readonly (Part | 'postgres')[]
}

/** A fault as it happened. It ends when what it hit works again, such as a process that is ready after its restart. */
export type RanFault = Fault & { startedAtMs: number; endedAtMs: number }

/** How long after its end a fault may still cause failures. */
const RECOVERY_MS: Partial<Record<Kind, number>> = {
  'broker-kill': 15_000,
  'broker-restart': 15_000,
  'broker-freeze': 15_000,
  'broker-disk-full': 20_000,
  'database-restart': 10_000,
  'database-crash': 10_000,
  'database-backend-crash': 10_000,
  'database-disk-full': 15_000,
  'lost-connection': 45_000, // nobody is told; a statement without an answer ends after 35 s
  'power-loss': 65_000, // PostgreSQL ends a transaction without a client after a minute
  clock: 2_000,
}
const USUAL_RECOVERY_MS = 6_000
/** Between the decision and its note. */
const BEFORE_MS = 250

const recoveryMsOf = (kind: Kind): number => RECOVERY_MS[kind] ?? USUAL_RECOVERY_MS

const overlaps = (fault: RanFault, failure: Failure): boolean =>
  failure.endedAtMs >= fault.startedAtMs - BEFORE_MS &&
  failure.startedAtMs <= fault.endedAtMs + recoveryMsOf(fault.kind)

/** Whether a fault may be the reason of a failure. */
const explains = (fault: RanFault, failure: Failure): boolean =>
  overlaps(fault, failure) && partsHitBy(fault.target).some((part) => failure.needs.includes(part))

/** Without the broker the gateway asks keys about each credential, so every request needs keys. */
function explainTogether(faults: readonly RanFault[], failure: Failure): boolean {
  const hit = new Set(
    faults.filter((fault) => overlaps(fault, failure)).flatMap(({ target }) => partsHitBy(target)),
  )
  return hit.has('broker') && hit.has('keys')
}

/** What a fault of this target impairs. A link impairs the part that it belongs to, seen from the client. */
function partsHitBy(target: string): Failure['needs'][number][] {
  if (target === 'broker' || target === 'postgres') return [target]
  if (target === CLIENT_LINK) return ['gateway']
  const [from = '', to] = target.split('>')
  if (to === undefined) return [serviceOf(from) as Part]
  if (to.startsWith('receiver') || from.startsWith('reader')) return []
  if (to === 'broker') return ['broker']
  // Of a gateway to a service: that service. To PostgreSQL: the service whose connection it is.
  return [(to === 'postgres' ? serviceOf(from) : to) as Part]
}

export function checkCauses(failures: readonly Failure[], faults: readonly RanFault[]): Finding[] {
  return failures
    .filter(
      (failure) => !faults.some((fault) => explains(fault, failure)) && !explainTogether(faults, failure),
    )
    .map(({ what, startedAtMs, endedAtMs, needs }) => ({
      kind: 'failure without a cause',
      what: `${what}, from ${instant(startedAtMs)} to ${instant(endedAtMs)}; needs ${needs.join(', ')}`,
    }))
}

/** For how long after their end faults of each kind still caused failures: the longest time, in ms. */
export function recoveryTimes(failures: readonly Failure[], faults: readonly RanFault[]): Map<Kind, number> {
  const longest = new Map<Kind, number>()
  for (const fault of faults) {
    const after = failures
      .filter((failure) => explains(fault, failure))
      .map((failure) => Math.max(0, Math.min(failure.endedAtMs - fault.endedAtMs, recoveryMsOf(fault.kind))))
    longest.set(fault.kind, Math.max(longest.get(fault.kind) ?? 0, ...after))
  }
  return longest
}
