import type { Verdict } from '../load/verdict.ts'
import { median, sum, table } from '../load/figures.ts'
import { deliverAll, type Bench } from './bench.ts'
import { cpuTimes, type Cpu } from './cpu.ts'

const DELIVERIES = 8_000
const ROUNDS = 5
const WANTED = 0.6

type Round = { perSecond: number; connections: number; cpu: Cpu }

/** Deliveries per second without a pause, alternating with a bare loop over as many connections. */
export async function measureThroughput(bench: Bench): Promise<Verdict[]> {
  const deliveries = Math.round(DELIVERIES * bench.effort)
  const rounds: { floor: Round; dispatcher: Round }[] = []
  let { connections } = await dispatcherRound(bench, deliveries) // warm-up: compiles and connects
  await floorRound(bench, deliveries, connections)
  for (let round = 0; round < ROUNDS; round += 1) {
    const floor = await floorRound(bench, deliveries, connections)
    const dispatcher = await dispatcherRound(bench, deliveries)
    connections = dispatcher.connections
    rounds.push({ floor, dispatcher })
  }
  bench.say(throughputTable(rounds, deliveries))
  const ratio = median(rounds.map(({ floor, dispatcher }) => dispatcher.perSecond / floor.perSecond))
  return [
    {
      what: 'deliveries/s: dispatcher ÷ bare loop',
      wanted: `≥ ${WANTED.toFixed(2)}`,
      got: ratio.toFixed(2),
      reached: ratio >= WANTED,
    },
  ]
}

const dispatcherRound = (bench: Bench, deliveries: number) =>
  measured(bench, deliveries, () => deliverAll(bench, deliveries))

async function floorRound(bench: Bench, deliveries: number, connections: number): Promise<Round> {
  const { receiver, floor, orgs } = bench
  const from = bench.next
  bench.next += deliveries
  const job = { url: receiver.url, ca: receiver.ca, connections, from, deliveries, orgs }
  const round = await measured(bench, deliveries, () => floor.run(job))
  return { ...round, connections } // connections that the dispatcher keeps for a while are open as well
}

/** The receiver measures both, from the first arrival to the last. */
async function measured(bench: Bench, deliveries: number, work: () => Promise<void>): Promise<Round> {
  await bench.receiver.report()
  const before = cpuTimes(bench)
  await work()
  const after = cpuTimes(bench)
  const { at, numbers, connections } = await bench.receiver.report()
  if (new Set(numbers).size !== deliveries || at.length !== deliveries)
    throw new Error(`${at.length} of ${deliveries} deliveries arrived`)
  const seconds = ((at.at(-1) ?? 0) - (at[0] ?? 0)) / 1000
  const spent = Object.entries(after).map(([part, s]) => [
    part,
    ((s - (before[part] ?? 0)) * 1e6) / deliveries,
  ])
  return { perSecond: (deliveries - 1) / seconds, connections, cpu: Object.fromEntries(spent) as Cpu }
}

function throughputTable(rounds: readonly { floor: Round; dispatcher: Round }[], deliveries: number): string {
  const parts = Object.keys(rounds[0]?.floor.cpu ?? {})
  const row = (name: string, side: Round[]) => {
    const cpuOf = (part: string) => median(side.map((round) => round.cpu[part] ?? 0))
    return [
      name,
      median(side.map((round) => round.perSecond)).toFixed(0),
      String(median(side.map((round) => round.connections))),
      sum(parts.map(cpuOf)).toFixed(0),
      ...parts.map((part) => cpuOf(part).toFixed(0)),
    ]
  }
  const rows = [
    ['', 'deliveries/s', 'connections', 'all µs', ...parts.map((part) => `${part} µs`)],
    row('bare loop', rounds.map(({ floor }) => floor)), // oxfmt-ignore
    row('dispatcher', rounds.map(({ dispatcher }) => dispatcher)), // oxfmt-ignore
  ]
  return `\nWithout a pause, ${deliveries} deliveries a round, medians of ${rounds.length}\n${table(rows)}\n`
}
