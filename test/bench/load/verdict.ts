import { median, table } from './figures.ts'

/** A target and what was measured. */
export type Verdict = { what: string; wanted: string; got: string; reached: boolean }

/** A target for the median of some figures. */
export function atMost(what: string, most: number, figures: readonly number[], unit = 'ms'): Verdict {
  const got = median(figures)
  return {
    what,
    wanted: `≤ ${most} ${unit}`.trimEnd(),
    got: `${got.toFixed(got < 10 ? 2 : 1)} ${unit}`.trimEnd(),
    reached: got <= most,
  }
}

export function verdictTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ what, wanted, got, reached }) => [
    what,
    wanted,
    got,
    reached ? 'reached' : 'MISSED',
  ])
  return `\nTargets\n${table([['', 'wanted', 'measured', ''], ...rows])}\n`
}
