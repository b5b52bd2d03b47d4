import { quantile, sum, table } from '../bench/load/figures.ts'
import type { Traffic } from '../faults/rolling/traffic.ts'

/** Of a step: its length, and what the traffic did meanwhile. */
export type StepFigures = {
  title: string
  seconds: number
  /** In milliseconds, of every request. */
  delays: readonly number[]
  scans: number
  deliveries: number
  failures: number
}

/** What to count before and after a step. */
export type Counted = { traffic: Traffic; deliveries: () => number }

/** Runs a step and counts what the traffic does meanwhile. */
export async function measure(
  title: string,
  { traffic, deliveries }: Counted,
  work: () => Promise<unknown>,
): Promise<StepFigures> {
  const count = () => ({
    at: performance.now(),
    requests: traffic.delays.length,
    scans: traffic.scanned.length,
    deliveries: deliveries(),
    failures: traffic.failures.length,
  })
  const before = count()
  await work()
  const after = count()
  return {
    title,
    seconds: (after.at - before.at) / 1_000,
    delays: traffic.delays.slice(before.requests, after.requests),
    scans: after.scans - before.scans,
    deliveries: after.deliveries - before.deliveries,
    failures: after.failures - before.failures,
  }
}

const totalOf = (steps: readonly StepFigures[]): StepFigures => ({
  title: 'all',
  seconds: sum(steps.map(({ seconds }) => seconds)),
  delays: steps.flatMap(({ delays }) => delays),
  scans: sum(steps.map(({ scans }) => scans)),
  deliveries: sum(steps.map(({ deliveries }) => deliveries)),
  failures: sum(steps.map(({ failures }) => failures)),
})

/** A line of each step and one of all, with delays in milliseconds. */
export function figuresTable(steps: readonly StepFigures[]): string {
  const ms = (delays: readonly number[], share: number) => quantile(delays, share).toFixed(0)
  const heads = [
    'step',
    'seconds',
    'requests',
    'p50 ms',
    'p99 ms',
    'max ms',
    'scans',
    'deliveries',
    'failures',
  ]
  const rows = [...steps, totalOf(steps)].map(({ title, seconds, delays, ...counts }) => [
    title,
    seconds.toFixed(1),
    String(delays.length),
    ms(delays, 0.5),
    ms(delays, 0.99),
    ms(delays, 1),
    String(counts.scans),
    String(counts.deliveries),
    String(counts.failures),
  ])
  return table([heads, ...rows])
}
