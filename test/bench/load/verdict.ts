import { table } from './figures.ts'

/** A target and what was measured. */
export type Verdict = { what: string; wanted: string; got: string; reached: boolean }

export function verdictTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ what, wanted, got, reached }) => [
    what,
    wanted,
    got,
    reached ? 'reached' : 'MISSED',
  ])
  return `\nTargets\n${table([['', 'wanted', 'measured', ''], ...rows])}\n`
}
