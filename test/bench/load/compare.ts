import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { median, quantile, sum } from './figures.ts'
import type { LoadGenerator, LoadJob, LoadRequest, LoadResult } from './load.ts'
import { cpuBetween, cpuTimes, machineTime, PARTS, type CpuTimes } from './processes.ts'

/** One side of a comparison. The sides take turns. */
export type Side = {
  name: string
  origin: string
  asked: readonly LoadRequest[]
  expectStatus: number
  /** Two replies of a round may have this status instead: what a bucket of one token a minute holds after a pause. */
  strayStatus?: number
  /** The system of this side, if the sides use different ones. */
  stack?: Stack
}

type SideFigures = {
  name: string
  /** Over all rounds. */
  perSecond: number
  /** Milliseconds: the median of the rounds, so that one disturbed round does not count. */
  p50: number
  p99: number
  /** Microseconds of CPU per request, by part of the system. */
  cpu: CpuTimes
}

export type Comparison = {
  sides: SideFigures[]
  /** Requests per second, the others ÷ the first: the median of the ratios within each round. */
  ratios: number[]
  /** Processor time per request without the generator, the others ÷ the first, of each round. */
  roundCpuRatios: number[][]
  /** The share of the machine's processors (0 to 1) that other programs took meanwhile; NaN without /proc. */
  othersShare: number
}

type Load = Pick<LoadJob, 'connections' | 'perSecond' | 'seconds'>
type Round = LoadResult & { cpu: CpuTimes; othersShare: number }

/**
 * Loads the sides in turn, so that a slow phase of the machine slows down all of them. Throws when
 * a response has an unexpected status, because a fast error is not a result.
 */
export async function compare(
  { stack, generator }: { stack: Stack; generator: LoadGenerator },
  sides: readonly Side[],
  load: Load,
  rounds: number,
): Promise<Comparison> {
  for (const side of sides) await runRound(stack, generator, side, load) // warm-up: compiles and connects
  const results = sides.map((): Round[] => [])
  for (let round = 0; round < rounds; round += 1) {
    // Every other round runs in the opposite order, so that no side always runs after the same other one.
    const order = [...sides.entries()]
    for (const [i, side] of round % 2 === 0 ? order : order.toReversed())
      results[i]?.push(await runRound(stack, generator, side, load))
  }
  const [base = [], ...others] = results
  const rate = (round: Round | undefined) => (round ? round.requests / round.seconds : Number.NaN)
  const cpu = (round: Round | undefined) => (round ? costOf(round) : Number.NaN)
  const ratiosOf = (figure: (round: Round | undefined) => number) =>
    others.map((other) => other.map((round, i) => figure(round) / figure(base[i])))
  return {
    sides: sides.map((side, i) => figuresOf(side.name, results[i] ?? [])),
    ratios: ratiosOf(rate).map(median),
    roundCpuRatios: ratiosOf(cpu),
    othersShare: median(results.flat().map((round) => round.othersShare)),
  }
}

const costOf = ({ cpu, requests }: Round) => sum(PARTS.map((part) => cpu[part] ?? 0)) / requests

const MOST_STRAYS = 2

async function runRound(common: Stack, generator: LoadGenerator, side: Side, load: Load): Promise<Round> {
  const { stack = common } = side
  const [before, machine] = [cpuTimes(stack), machineTime()]
  const result = await generator.run({ origin: side.origin, asked: side.asked, ...load })
  const cpu = { ...cpuBetween(before, cpuTimes(stack)), generator: result.cpuSeconds }
  const unexpected = Object.entries(result.statuses).filter(
    ([status, count]) =>
      +status !== side.expectStatus && !(+status === side.strayStatus && count <= MOST_STRAYS),
  )
  if (unexpected.length > 0)
    throw new Error(`${side.name}: replies by status were ${JSON.stringify(result.statuses)}`)
  const { busySeconds, totalSeconds } = machineTime()
  const others = busySeconds - machine.busySeconds - sum(Object.values(cpu))
  return { ...result, cpu, othersShare: Math.max(0, others) / (totalSeconds - machine.totalSeconds) }
}

function figuresOf(name: string, rounds: readonly Round[]): SideFigures {
  const requests = sum(rounds.map((round) => round.requests))
  const latency = (share: number) => median(rounds.map((round) => quantile(round.latencies, share)))
  const parts = new Set(rounds.flatMap((round) => Object.keys(round.cpu)))
  const cpuOf = (part: string) => (sum(rounds.map((round) => round.cpu[part] ?? 0)) * 1e6) / requests
  return {
    name,
    perSecond: requests / sum(rounds.map((round) => round.seconds)),
    p50: latency(0.5),
    p99: latency(0.99),
    cpu: Object.fromEntries([...parts].map((part) => [part, cpuOf(part)])),
  }
}
