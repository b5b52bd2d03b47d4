import { readdirSync, readFileSync } from 'node:fs'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { sum } from './figures.ts'

/** CPU seconds by part of the system since its start; a part that cannot be read (no /proc) is missing. */
export type CpuTimes = Record<string, number>

// The unit of /proc/<pid>/stat, on every architecture of Node.
const TICKS_PER_SECOND = 100

/** The parts of a system in `cpuTimes`, in the order of tables. */
export const PARTS = ['gateway', 'catalog', 'tracking', 'keys', 'webhook-dispatcher', 'nats', 'postgres']

/** CPU seconds of each service by name, of the broker, and of PostgreSQL with all its processes. */
export function cpuTimes({ services, broker, postgres }: Stack): CpuTimes {
  const times: CpuTimes = {
    nats: cpuSecondsOf(broker.pid),
    postgres: cpuSecondsOf(postgres.pid, { children: true }),
  }
  for (const { name, pid } of Object.values(services)) times[name] = cpuSecondsOf(pid)
  return times
}

/**
 * CPU seconds of one process since its start; 0 when it cannot be read. With its children, also those that have ended: a
 * connection of PostgreSQL that closes takes none of its time with it.
 */
export function cpuSecondsOf(pid: number | undefined, { children = false } = {}): number {
  if (!children) return readStat(pid)?.cpuSeconds ?? 0
  for (;;) {
    const before = readStat(pid)
    const running = sum(childrenOf(pid).map((child) => child.cpuSeconds))
    const after = readStat(pid)
    // A child that ended meanwhile would count twice or never: read again.
    if (before?.endedSeconds === after?.endedSeconds)
      return running + (after?.cpuSeconds ?? 0) + (after?.endedSeconds ?? 0)
  }
}

/** CPU seconds from `before` to `after`. */
export const cpuBetween = (before: CpuTimes, after: CpuTimes): CpuTimes =>
  Object.fromEntries(Object.entries(after).map(([part, s]) => [part, Math.max(0, s - (before[part] ?? 0))]))

export type MachineTime = { busySeconds: number; totalSeconds: number }

/** The time of all processors since the start of the machine, including time taken by other virtual machines. */
export function machineTime(): MachineTime {
  const fields = (read('/proc/stat').split('\n', 1)[0] ?? '').split(/ +/).slice(1, 9).map(Number)
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = fields // without idle time and interrupts
  const all = fields.reduce((total, ticks) => total + ticks, 0)
  return {
    busySeconds: (user + nice + system + steal) / TICKS_PER_SECOND,
    totalSeconds: all / TICKS_PER_SECOND,
  }
}

/** Resident memory in MiB; undefined without /proc. */
export function residentMiB(pid: number | undefined): number | undefined {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? []
  return kib === undefined ? undefined : Number(kib) / 1024
}

function childrenOf(parent: number | undefined) {
  const pids = readDirectory('/proc').filter((name) => /^\d+$/.test(name)).map(Number) // oxfmt-ignore
  return pids.flatMap((pid) => {
    const stat = readStat(pid)
    return stat && stat.parent === parent ? [stat] : []
  })
}

/** `endedSeconds` is the time of children that have ended, and of theirs. */
type ProcessStat = { parent: number; cpuSeconds: number; endedSeconds: number }

function readStat(pid: number | undefined): ProcessStat | undefined {
  const text = read(`/proc/${pid}/stat`)
  // The second field is the program's name in parentheses, which may contain spaces: count after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 16) return undefined
  const seconds = (from: number) => (Number(fields[from]) + Number(fields[from + 1])) / TICKS_PER_SECOND
  return { parent: Number(fields[1]), cpuSeconds: seconds(11), endedSeconds: seconds(13) }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // it has ended, or this is not Linux
  }
}

function readDirectory(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
