import { sum, table } from '../load/figures.ts'
import { PARTS } from '../load/processes.ts'
import type { Comparison } from '../load/compare.ts'

const CPU_PARTS = [...PARTS, 'generator']

/** One table per comparison: results for the client, and processor time per process. */
export function comparisonTable(title: string, { sides, ratios, othersShare }: Comparison): string {
  // Only parts that used processor time.
  const parts = CPU_PARTS.filter((part) => sides.some(({ cpu }) => (cpu[part] ?? 0) >= 0.5))
  const head = ['', 'requests/s', 'ratio', 'p50 ms', 'p99 ms', 'all µs', ...parts.map((part) => `${part} µs`)]
  const rows = sides.map(({ name, perSecond, p50, p99, cpu }, i) => [
    name,
    perSecond.toFixed(0),
    i === 0 ? '1' : (ratios[i - 1] ?? Number.NaN).toFixed(2),
    p50.toFixed(2),
    p99.toFixed(2),
    sum(Object.values(cpu)).toFixed(0),
    ...parts.map((part) => (cpu[part] === undefined ? '-' : cpu[part].toFixed(0))),
  ])
  const share = `  Other programs took ${(othersShare * 100).toFixed(0)} % of the machine.`
  return `\n${title}\n${table([head, ...rows])}\n${share}\n`
}
