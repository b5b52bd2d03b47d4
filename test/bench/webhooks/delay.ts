import { quantile, table } from '../load/figures.ts'
import { atMost, type Verdict } from '../load/verdict.ts'
import { publishAtRate, untilTaken, type Bench } from './bench.ts'
import { pathOf } from './events.ts'

const PER_SECOND = 500
const WARM_UP_SECONDS = 3
const SECONDS = 15
const WANTED_P99_MS = 50

/** The delay from publishing to the receiver, for all organizations in turn. */
export async function measureDelay(bench: Bench): Promise<Verdict[]> {
  await delaysOf(bench, { seconds: WARM_UP_SECONDS, orgs: bench.orgs })
  const delays = await delaysOf(bench, { seconds: SECONDS * bench.effort, orgs: bench.orgs })
  const rows = [['', 'n', 'p50 ms', 'p90 ms', 'p99 ms', 'longest'], delayRow('to the receiver', delays)]
  bench.say(`\nDelay at ${PER_SECOND} events/s over ${bench.orgs} organizations\n${table(rows)}\n`)
  return [
    atMost(`p99 from EVENTS to the receiver at ${PER_SECOND}/s`, WANTED_P99_MS, [quantile(delays, 0.99)]),
  ]
}

const HANGING = { orgs: 100, seconds: 6, rounds: 3, most: 2 }

/** The effect of one hanging receiver on the others: rounds with and without it, in turn. */
export async function measureHanging(bench: Bench): Promise<Verdict[]> {
  const { receiver } = bench
  const load = { seconds: HANGING.seconds * bench.effort, orgs: Math.min(HANGING.orgs, bench.orgs) }
  await delaysOf(bench, { ...load, seconds: WARM_UP_SECONDS })
  const [undisturbed, disturbed]: [number[][], number[][]] = [[], []]
  for (let round = 0; round < HANGING.rounds; round += 1) {
    undisturbed.push(await delaysOf(bench, load))
    receiver.hang(pathOf(0))
    disturbed.push(await delaysOf(bench, load, () => receiver.release()))
  }
  const rows = [
    ['', 'n', 'p50 ms', 'p90 ms', 'p99 ms', 'longest'],
    delayRow('none hangs', undisturbed.flat()),
    delayRow('one hangs', disturbed.flat()),
  ]
  const title = `Delay of ${load.orgs - 1} organizations while one receiver of ${load.orgs} hangs, ${PER_SECOND} events/s`
  bench.say(`\n${title}, ${HANGING.rounds} rounds each\n${table(rows)}\n`)
  const p99 = (delays: readonly number[] | undefined) => quantile(delays ?? [], 0.99)
  const ratios = disturbed.map((delays, i) => p99(delays) / p99(undisturbed[i]))
  return [atMost('p99 of the others while one hangs ÷ undisturbed', HANGING.most, ratios, '')]
}

/**
 * The delay of every delivery from the moment its event was due to its first arrival, without the first organization,
 * whose receiver may hang. `before` is called when everything is published and the others have arrived.
 */
async function delaysOf(
  bench: Bench,
  { seconds, orgs }: { seconds: number; orgs: number },
  release: () => void = () => {},
): Promise<number[]> {
  await bench.receiver.report()
  const first = bench.next
  const dueAt = await publishAtRate(bench, { perSecond: PER_SECOND, seconds, orgs })
  const others = [...dueAt.keys()].filter((number) => (number - first) % orgs !== 0)
  await untilTaken(bench, others.length)
  release()
  await untilTaken(bench, dueAt.size)
  const { numbers, at } = await bench.receiver.report()
  const arrivedAt = new Map<number, number>()
  for (const [i, number] of numbers.entries()) if (!arrivedAt.has(number)) arrivedAt.set(number, at[i] ?? 0)
  const delay = (number: number) => (arrivedAt.get(number) ?? Number.NaN) - (dueAt.get(number) ?? 0)
  const delays = others.map(delay)
  if (delays.some(Number.isNaN)) throw new Error('a delivery did not arrive')
  return delays
}

const delayRow = (name: string, delays: readonly number[]) => [
  name,
  String(delays.length),
  ...[0.5, 0.9, 0.99, 1].map((share) => quantile(delays, share).toFixed(1)),
]
