import { groupBy } from './ledger/group-by.ts'
import type { Finding } from './ledger/ledger.ts'
import { kinds } from './plan/kinds.ts'
import { describeFault } from './plan/plan.ts'
import type { Round } from './round.ts'

const SHOWN_PER_KIND = 3

/** A line after each round. */
export function roundLine(round: Round): string {
  const { seed, faults, requests, failures, done, deliveries, quietMs, findings } = round
  return [
    `Round ${seed}: ${faults.length} faults`,
    `${total(requests)} requests (${failures.length} without an answer or 5xx)`,
    `${done.reads.confirmed} reads confirmed, ${done.reads.unknown} unknown`,
    `${deliveries} deliveries`,
    `quiet after ${(quietMs / 1000).toFixed(1)} s`,
    findings.length === 0 ? 'nothing found' : `${findings.length} FINDINGS`,
  ].join(', ')
}

const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0)
const byKind = (findings: readonly Finding[]) => groupBy(findings, ({ kind }) => kind)

/** The findings of a round with what repeats it. */
export function findingsText({ seed, findings, faults }: Round, minutes: number, everyMs: number): string {
  const lines = [...byKind(findings)].map(([kind, same]) => `  ${kind} (${same.length}):\n${examples(same)}`)
  const indexes = faults.map(({ index }) => index).toSorted((a, b) => a - b)
  const repeat = `pnpm campaign --seed ${seed} --minutes ${minutes} --every ${everyMs / 1000}`
  return [
    `Findings of seed ${seed}:`,
    ...lines,
    `  Faults: ${indexes.length > 40 ? `all ${indexes.length} of the plan` : faults.map((fault) => `\n    ${describeFault(fault)}`).join('')}`,
    `  Repeat: ${repeat}`,
    `  With chosen faults: ${repeat} --only ${indexes.slice(0, 12).join(',')}${indexes.length > 12 ? ',…' : ''}`,
    `  With fewer and fewer: ${repeat} --shrink`,
  ].join('\n')
}

const examples = (findings: readonly Finding[]) =>
  findings
    .slice(0, SHOWN_PER_KIND)
    .map(({ what }) => `    ${what.replaceAll('\n', '\n      ')}`)
    .join('\n')

/** The ledger of all rounds. */
export function finalTable(rounds: readonly Round[]): string {
  const sum = (count: (round: Round) => number) => rounds.reduce((all, round) => all + count(round), 0)
  const faultLines = kinds.flatMap((kind) => {
    const made = rounds.flatMap((round) => round.faults.filter((fault) => fault.kind === kind))
    if (made.length === 0) return []
    const recovery = Math.max(...rounds.map((round) => round.recovery.get(kind) ?? 0))
    const longest = Math.max(...made.map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs))
    return [`  ${kind.padEnd(24)}${cell(made.length)}${cell(seconds(longest))}${cell(seconds(recovery))}`]
  })
  const operations = [...new Set(rounds.flatMap((round) => [...round.requests.keys()]))].toSorted()
  const skipped = sum((round) => round.skipped.length)
  return [
    `${'  faults'.padEnd(26)}${cell('made')}${cell('longest')}${cell('last failure after its end')}`,
    ...faultLines,
    `  ${'all'.padEnd(24)}${cell(sum((round) => round.faults.length))}`,
    ...(skipped > 0 ? [`  ${skipped} faults were left out: this user cannot mount a file system.`] : []),
    '',
    ...operations.map((name) => `  ${name.padEnd(24)}${cell(sum((round) => round.requests.get(name) ?? 0))}`),
    `  ${'requests'.padEnd(24)}${cell(sum((round) => total(round.requests)))}`,
    `  ${'no answer or 5xx'.padEnd(24)}${cell(sum((round) => round.failures.length))}`,
    `  ${'reads confirmed'.padEnd(24)}${cell(sum((round) => round.done.reads.confirmed))}`,
    `  ${'reads unknown'.padEnd(24)}${cell(sum((round) => round.done.reads.unknown))}`,
    `  ${'movements'.padEnd(24)}${cell(sum((round) => round.movements))}`,
    `  ${'deliveries'.padEnd(24)}${cell(sum((round) => round.deliveries))}`,
    `  ${'things written'.padEnd(24)}${cell(sum((round) => round.done.things.length))}`,
    `  ${'keys revoked'.padEnd(24)}${cell(sum((round) => round.done.revoked.length))}`,
    `  ${'old rows written'.padEnd(24)}${cell(sum(({ done }) => rowsOf(done.old.days)))}`,
    `  ${'old rows packed'.padEnd(24)}${cell(sum(({ done: { old } }) => rowsOf(old.days.slice(0, old.packedDays))))}`,
    `  ${'longest way to quiet'.padEnd(24)}${cell(seconds(Math.max(...rounds.map(({ quietMs }) => quietMs))))}`,
    `  ${'findings'.padEnd(24)}${cell(sum((round) => round.findings.length))}`,
  ].join('\n')
}

const rowsOf = (days: Round['done']['old']['days']) => days.reduce((all, { rows }) => all + rows, 0)
const cell = (value: number | string) => String(value).padStart(12)
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
