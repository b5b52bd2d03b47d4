import { availableParallelism, cpus, loadavg } from 'node:os'

/** The machine, for people who read the figures. */
export function machine(): string {
  const model = cpus()[0]?.model ?? 'unknown processor'
  const load = loadavg()[0]?.toFixed(2)
  return `${availableParallelism()} cores (${model}), Node ${process.version}, load average before ${load}`
}
