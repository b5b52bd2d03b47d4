import type { Compared } from './alternate.ts'
import type { Verdict } from '../load/verdict.ts'
import { table } from '../load/figures.ts'

const ms = (value = Number.NaN) => value.toFixed(value < 100 ? 1 : 0)

export function reportsTable(compared: readonly Compared[], connections: number): string {
  const head = ['', 'service p50 ms', 'p99', 'SQL p50 ms', 'p99', 'ratio']
  const together = [`at ${connections}: service p50`, 'p99', '/s', 'SQL p50', 'p99', '/s']
  const rows = compared.map(({ question, ways: [service, bare], ratios: [ratio] }) => [
    question.name,
    ms(service?.p50),
    ms(service?.p99),
    ms(bare?.p50),
    ms(bare?.p99),
    (ratio ?? Number.NaN).toFixed(2),
    ...[service, bare].flatMap((way) => [
      ms(way?.together.p50),
      ms(way?.together.p99),
      (way?.perSecond ?? Number.NaN).toFixed(0),
    ]),
  ])
  return `\nThe service over HTTP, and a hand-written statement with the same rows and totals\n${table([[...head, ...together], ...rows])}\n`
}

export const verdictsOf = (compared: readonly Compared[]): Verdict[] =>
  compared.flatMap(({ question: { name, wantedP99Ms }, ways: [service] }) => {
    if (wantedP99Ms === undefined) return []
    const p99 = service?.p99 ?? Number.NaN
    const reached = p99 <= wantedP99Ms
    return [{ what: `${name}: p99`, wanted: `≤ ${wantedP99Ms} ms`, got: `${ms(p99)} ms`, reached }]
  })
