import { availableParallelism, cpus, loadavg } from 'node:os'

/** What a reader of figures wants to know of where they were made. */
export function machine(): string {
  const model = cpus()[0]?.model ?? 'unknown processor'
  const load = loadavg()[0]?.toFixed(2)
  return `${availableParallelism()} cores (${model}), Node ${process.version}, load average before ${load}`
}
