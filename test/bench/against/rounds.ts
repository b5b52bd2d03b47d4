import { median, sum, table } from '../load/figures.ts'
import { cpuBetween, cpuTimes, PARTS, residentMiB, type CpuTimes } from '../load/processes.ts'
import type { Verdict } from '../load/verdict.ts'
import { ratioVerdict } from './ratios.ts'
import type { Both, System } from './systems.ts'

/** One thing of the other version, and the same of this one. */
export type Pair<T> = { base: T; now: T }

/** Runs every round once on each side, in alternating order. The first round compiles and does not count. */
export async function inRounds<S, T>(
  { base, now }: Pair<S>,
  rounds: number,
  measure: (side: S, round: number) => Promise<T>,
): Promise<Pair<T>[]> {
  const pairs: Pair<T>[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const first = await measure(round % 2 === 0 ? base : now, round)
    const second = await measure(round % 2 === 0 ? now : base, round)
    if (round > 0) pairs.push(round % 2 === 0 ? { base: first, now: second } : { base: second, now: first })
  }
  return pairs
}

/** The work of one side in one round. */
export type Worked = { seconds: number; cpu: CpuTimes; residentMiB: number }

/** Measures `work` of a service, which resolves with its seconds; by default, until it resolves. */
export async function worked(
  { stack }: System,
  pid: number,
  work: () => Promise<number | void>,
): Promise<Worked> {
  const [before, started] = [cpuTimes(stack), performance.now()]
  const seconds = (await work()) ?? (performance.now() - started) / 1000
  return { seconds, cpu: cpuBetween(before, cpuTimes(stack)), residentMiB: residentMiB(pid) ?? Number.NaN }
}

type Report = { title: string; unit: string; count: number; pairs: readonly Pair<Worked>[] }

/** Prints how many of `unit` each side did a second in each round, and the processor time of one of them. */
export function compareRates(
  { base, now }: Both,
  { title, unit, count, pairs }: Report,
  say: (text: string) => void,
): Verdict {
  const perSecond = ({ seconds }: Worked) => Math.round(count / seconds).toLocaleString('en')
  const ratios = pairs.map((pair) => pair.base.seconds / pair.now.seconds)
  const rounds = pairs.map((pair, i) => [
    String(i + 1),
    perSecond(pair.base),
    perSecond(pair.now),
    (ratios[i] ?? Number.NaN).toFixed(2),
  ])
  const parts = PARTS.filter((part) => pairs.some((pair) => pair.now.cpu[part]))
  const costs = (name: string, sides: readonly Worked[]) => {
    const each = parts.map((part) => median(sides.map(({ cpu }) => ((cpu[part] ?? 0) * 1e6) / count)))
    const resident = median(sides.map((side) => side.residentMiB)).toFixed(0)
    return [name, ...[sum(each), ...each].map((us) => us.toFixed(2)), resident]
  }
  const head = [`one of ${unit}`, 'all µs', ...parts.map((part) => `${part} µs`), 'MiB']
  const rows = [
    costs(base.name, pairs.map((pair) => pair.base)),
    costs(now.name, pairs.map((pair) => pair.now)),
  ] // oxfmt-ignore
  say(`\n${title}, ${unit}/s\n${table([['round', base.name, now.name, 'ratio'], ...rounds])}\n\n`)
  say(`${table([head, ...rows])}\n`)
  return ratioVerdict(`${title}: ${base.name}'s time ÷ now's`, ratios)
}
