import type { Verdict } from '../edge/report.ts'
import { table } from '../load/figures.ts'
import type { Compared } from './alternate.ts'

const ms = (value: number | undefined) => (value ?? Number.NaN).toFixed(2)
const rate = (value: number | undefined) => (value ?? Number.NaN).toFixed(0)

export function comparisonTable(compared: readonly Compared[], connections: number): string {
  const head = [
    '',
    'service p50 ms',
    'p99',
    'SQL p50 ms',
    'p99',
    'ratio',
    'HTTP p50 ms',
    `service /s at ${connections}`,
    'SQL /s',
  ]
  const rows = compared.map(({ question, ways: [service, bare, floor], ratios: [ratio] }) => [
    question.name,
    ms(service?.p50),
    ms(service?.p99),
    ms(bare?.p50),
    ms(bare?.p99),
    ms(ratio),
    ms(floor?.p50),
    rate(service?.perSecond),
    rate(bare?.perSecond),
  ])
  const note = 'HTTP: the same statement behind a bare node:http server.'
  return `\nThe service, and bare SQL that does the same work\n${table([head, ...rows])}\n  ${note}\n`
}

export function securityTable(compared: readonly Compared[]): string {
  const head = ['', 'with p50 ms', 'p99', 'without p50 ms', 'p99', 'ratio']
  const rows = compared.map(({ question, ways: [bound, owner], ratios: [ratio] }) => [
    question.name,
    ms(bound?.p50),
    ms(bound?.p99),
    ms(owner?.p50),
    ms(owner?.p99),
    ms(ratio),
  ])
  return `\nThe same statement with and without row-level security\n${table([head, ...rows])}\n`
}

export const verdictsOf = (compared: readonly Compared[]): Verdict[] =>
  compared.flatMap(({ question: { name, wanted }, ways: [service], ratios: [ratio = Number.NaN] }) => {
    if (!wanted) return []
    if ('ratio' in wanted)
      return [
        {
          what: `${name}: service ÷ SQL`,
          wanted: `≤ ${wanted.ratio.toFixed(2)}`,
          got: ratio.toFixed(2),
          reached: ratio <= wanted.ratio,
        },
      ]
    const p99 = service?.p99 ?? Number.NaN
    const reached = p99 <= wanted.p99
    return [{ what: `${name}: p99`, wanted: `≤ ${wanted.p99} ms`, got: `${p99.toFixed(1)} ms`, reached }]
  })
