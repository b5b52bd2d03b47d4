import { median, sum, table } from '../load/figures.ts'
import type { Comparison } from '../load/compare.ts'
import { PARTS } from '../load/processes.ts'

export type Measured = { operation: string; result: Comparison }

/** A row for each operation and system. Microseconds are processor time per request, without the load generator. */
export function requestsTable(measured: readonly Measured[]): string {
  const isCompared = measured.some(({ result }) => result.sides.length > 1)
  const ratios = isCompared ? ['CPU ratio', 'requests/s ratio'] : []
  const head = [
    '',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'all µs',
    ...PARTS.map((part) => `${part} µs`),
    ...ratios,
  ]
  const rows = measured.flatMap(({ operation, result: { sides, roundCpuRatios, ratios: rates } }) =>
    sides.map(({ name, perSecond, p50, p99, cpu }, i) => {
      const parts = PARTS.map((part) => cpu[part] ?? 0)
      const compared = i === 0 ? ['', ''] : [median(roundCpuRatios[i - 1] ?? []), rates[i - 1] ?? Number.NaN]
      return [
        isCompared ? `${operation}, ${name}` : operation,
        perSecond.toFixed(0),
        p50.toFixed(2),
        p99.toFixed(2),
        ...[sum(parts), ...parts].map((us) => us.toFixed(0)),
        ...(isCompared
          ? compared.map((ratio) => (typeof ratio === 'number' ? ratio.toFixed(2) : ratio))
          : []),
      ]
    }),
  )
  const others = median(measured.map(({ result }) => result.othersShare)) * 100
  const share = `  Other programs took ${others.toFixed(0)} % of the machine.`
  const meaning = isCompared
    ? '\n  Ratios: now ÷ the other, the median of the rounds. A CPU ratio below 1 is an improvement.'
    : ''
  return `\n${table([head, ...rows])}\n${share}${meaning}\n`
}
