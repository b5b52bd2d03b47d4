import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { poll } from '@whereabouts/deploy/workshop/servers/poll'
import type { RanFault } from '../ledger/causes.ts'
import { ruleOf, type Kind } from '../plan/kinds.ts'
import type { Fault } from '../plan/plan.ts'
import type { CampaignSystem } from './campaign-system.ts'

/** Clocks of readers, by the name of their connection: the load asks for them. */
export type ReaderClocks = Map<string, number>

type Injector = (system: CampaignSystem, fault: Fault, clocks: ReaderClocks) => Promise<void>

const held = (fault: Fault) => wait(fault.durationMs)

const replicaOf = (system: CampaignSystem, { target }: Fault) => {
  const replica = system.replicas.get(target)
  if (!replica) throw new Error(`the system has no replica ${target}`)
  return replica
}

const ended =
  (signal: 'SIGKILL' | 'SIGTERM'): Injector =>
  async (system, fault) => {
    const replica = replicaOf(system, fault)
    await replica.end(signal)
    await held(fault)
    await replica.run()
  }

const disturbed =
  (how: 'cut' | 'silence' | 'slow' | 'throttle'): Injector =>
  async (system, fault) => {
    const link = system.links.get(fault.target)
    if (!link) throw new Error(`the system has no connection ${fault.target}`)
    link[how](fault.amount)
    await held(fault)
    link.heal()
  }

const brokerEnded =
  (signal: NodeJS.Signals): Injector =>
  async ({ stack }, fault) => {
    await stack.broker.stop(signal)
    await held(fault)
    await stack.broker.restart(signal)
  }

/** Three checks of the watch, and the restart. */
const RECOVERY = { everyMs: 500, timeoutMs: 180_000 }

/** False while it is restarted, too. */
const stores = async ({ monitorUrl }: CampaignSystem['stack']['broker']): Promise<true | undefined> => {
  const isUp = await fetch(`${monitorUrl}/healthz`).then(
    (reply) => reply.ok,
    () => false,
  )
  return isUp || undefined
}

/** SIGINT is a fast shutdown of PostgreSQL, SIGQUIT an immediate one: without a checkpoint, like a crash. */
const databaseEnded =
  (signal: 'SIGINT' | 'SIGQUIT'): Injector =>
  async ({ stack }, fault) => {
    if (stack.postgres.pid !== undefined) process.kill(stack.postgres.pid, signal)
    await stack.postgres.ended()
    await held(fault)
    await stack.postgres.startAgain()
  }

const INJECTORS: Record<Kind, Injector> = {
  kill: ended('SIGKILL'),
  /** Database and broker are not told that the process is gone. */
  async 'power-loss'(system, fault, clocks) {
    for (const server of ['postgres', 'broker']) system.links.get(`${fault.target}>${server}`)?.loseNear()
    await ended('SIGKILL')(system, fault, clocks)
  },
  terminate: ended('SIGTERM'),
  async freeze(system, fault) {
    const replica = replicaOf(system, fault)
    replica.signal('SIGSTOP')
    await held(fault)
    replica.signal('SIGCONT')
  },
  async clock(system, fault) {
    const replica = replicaOf(system, fault)
    replica.shiftClock(fault.amount)
    await held(fault)
    replica.shiftClock(0)
  },
  cut: disturbed('cut'),
  silence: disturbed('silence'),
  slow: disturbed('slow'),
  throttle: disturbed('throttle'),
  async 'lost-connection'(system, fault) {
    system.links.get(fault.target)?.loseFar()
  },
  'cut-receiver': disturbed('cut'),
  'silence-receiver': disturbed('silence'),
  async 'reader-clock'(_system, fault, clocks) {
    clocks.set(fault.target, fault.amount)
    await held(fault)
    clocks.delete(fault.target)
  },
  'broker-kill': brokerEnded('SIGKILL'),
  'broker-restart': brokerEnded('SIGTERM'),
  async 'broker-freeze'({ stack }, fault) {
    const { pid } = stack.broker
    if (pid !== undefined) process.kill(pid, 'SIGSTOP')
    await held(fault)
    if (pid !== undefined) process.kill(pid, 'SIGCONT')
  },
  /** Afterwards the broker refuses its streams until the watch of the system restarts it, as the launcher does. */
  async 'broker-disk-full'({ stack, disks }, fault) {
    disks.broker?.fill()
    await held(fault)
    disks.broker?.free()
    if (!(await poll(() => stores(stack.broker), RECOVERY))) throw new Error('the broker stores nothing')
  },
  'database-restart': databaseEnded('SIGINT'),
  'database-crash': databaseEnded('SIGQUIT'),
  /** PostgreSQL then ends all its other processes and recovers. */
  async 'database-backend-crash'({ stack }) {
    const backend = backendsOf(stack.postgres.pid)[0]
    if (backend !== undefined) process.kill(backend, 'SIGKILL')
  },
  /** Afterwards PostgreSQL is started again if it ended, as it does when it cannot write its log. */
  async 'database-disk-full'({ stack, disks }, fault) {
    disks.postgres?.fill()
    const stopped = await Promise.race([held(fault), stack.postgres.ended()])
    disks.postgres?.free()
    if (stopped !== undefined) await stack.postgres.startAgain()
  },
}

/** Client connections of the services to PostgreSQL: its children with an address in their title. */
function backendsOf(postmaster: number | undefined): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number) // oxfmt-ignore
  return pids.filter((pid) => {
    const [stat, title] = [read(`/proc/${pid}/stat`), read(`/proc/${pid}/cmdline`)]
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    return parent === postmaster && /127\.0\.0\.1/.test(title)
  })
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // it has ended
  }
}

/** Whether this machine can do it. */
export const canInject = ({ kind, target }: Fault, { disks }: Pick<CampaignSystem, 'disks'>): boolean =>
  !ruleOf(kind).needsMount || disks[target as 'broker' | 'postgres'] !== undefined

/** Resolves when what the fault hit works again. */
export async function inject(system: CampaignSystem, fault: Fault, clocks: ReaderClocks): Promise<RanFault> {
  const startedAtMs = Date.now()
  await INJECTORS[fault.kind](system, fault, clocks)
  return { ...fault, startedAtMs, endedAtMs: Date.now() }
}
