import { readdirSync, readFileSync } from 'node:fs'
import type { Stack } from '@whereabouts/deploy/local/stack'

/** CPU seconds by part of the system since its start; a part that cannot be read (no /proc) is missing. */
export type CpuTimes = Record<string, number>

// The unit of /proc/<pid>/stat, on every architecture of Node.
const TICKS_PER_SECOND = 100

/** CPU seconds of each service by name, and of the database by the service whose role it worked for. */
export function cpuTimes(stack: Stack): CpuTimes {
  const times: CpuTimes = {}
  for (const name of ['gateway', 'catalog', 'keys'] as const) {
    const stat = readStat(stack.service(name).pid)
    if (stat) times[name] = stat.cpuSeconds
  }
  for (const { pid, stat } of childrenOf(stack.postgres.pid)) {
    const [, service] = /^postgres: (gateway|catalog|keys)\w* /.exec(read(`/proc/${pid}/cmdline`)) ?? []
    if (service === undefined) continue
    const part = `postgres for ${service}`
    times[part] = (times[part] ?? 0) + stat.cpuSeconds
  }
  return times
}

/** CPU seconds of one process since its start, optionally with its children; 0 when it cannot be read. */
export function cpuSecondsOf(pid: number | undefined, { children = false } = {}): number {
  const below = children ? childrenOf(pid).map(({ stat }) => stat.cpuSeconds) : []
  return below.reduce((total, seconds) => total + seconds, readStat(pid)?.cpuSeconds ?? 0)
}

/** CPU seconds from `before` to `after`. Connections that were closed in between do not count. */
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
    return stat && stat.parent === parent ? [{ pid, stat }] : []
  })
}

function readStat(pid: number | undefined): { parent: number; cpuSeconds: number } | undefined {
  const text = read(`/proc/${pid}/stat`)
  // The second field is the program's name in parentheses, which may contain spaces: count after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 14) return undefined
  const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number)
  return { parent: parent ?? 0, cpuSeconds: ((user ?? 0) + (system ?? 0)) / TICKS_PER_SECOND }
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
