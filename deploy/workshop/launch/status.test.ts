import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isCurrent, isErrorLine, lastError, withAge } from '../commands/last-error.ts'
import { daysWaitingOf, historyLine, lagOf, readsLine, readsOf } from '../stack/stack-health.ts'

test.for([
  ['{"level":50,"time":1764000000000,"msg":"database lost"}', '2025-11-24T16:00:00.000Z database lost'],
  ['{"level":"error","time":"2026-11-24T16:00:00.000Z","msg":"no"}', '2026-11-24T16:00:00.000Z no'],
  ['{"level":30,"time":1764000000000,"msg":"keys is up"}', undefined],
  ['{"level":50,"time":1764', undefined],
  ['[77] 2026/11/24 [ERR] no space left', '[77] 2026/11/24 [ERR] no space left'],
  [
    '2026-11-24 FATAL:  the database system is shutting down',
    '2026-11-24 FATAL:  the database system is shutting down',
  ],
  ['2026-11-24 LOG:  checkpoint starting: time', undefined],
] as const)('%s is shown as %s', ([line, shown]) => expect(isErrorLine(line)).toBe(shown))

test('the last error of a log is found behind other lines, and shortened', () => {
  const folder = mkdtempSync(join(tmpdir(), 'last-error-'))
  const file = join(folder, 'keys.log')
  writeFileSync(
    file,
    ['[ERR] first', `[ERR] ${'x'.repeat(500)}`, ...Array(1_000).fill('fine'), ''].join('\n'),
  )
  expect(lastError(file, isErrorLine)).toMatch(/^\[ERR\] x{153}…$/)
  expect(lastError(join(folder, 'none.log'), isErrorLine)).toBeUndefined()
  rmSync(folder, { recursive: true })
})

test('the lag is the sum over the consumers of a service', () => {
  const text = (...lags: number[]) =>
    lags.map((lag, n) => `consumer_lag_messages{service="tracking",durable="d${n}"} ${lag}\n`).join('')
  expect(lagOf(`# HELP consumer_lag_messages x\n${text(3, 4)}up 1\n`)).toBe(7)
  expect(lagOf('up 1\n')).toBeNull()
})

test('reads are stored if the newest canary is younger than three minutes; otherwise the line says since when, and what to do', () => {
  const shown = (age: number, free: number) => {
    const metrics = `# HELP canary_age_seconds x\ncanary_age_seconds{service="tracking"} ${age}\nup 1\n`
    return readsLine(readsOf(metrics), free, '/data/nats', Date.parse('2026-11-24T16:10:00Z'))
  }
  expect(shown(12.3, 0)).toBe('reads: stored 12 s ago')
  expect(shown(600, 1e9)).toBe(
    'reads: NOT STORED since 2026-11-24T16:00:00.000Z: the last errors above say why; see docs/runbooks.md#readsnotstored',
  )
  expect(shown(600, 65_536)).toBe(
    'reads: NOT STORED since 2026-11-24T16:00:00.000Z: the disk of /data/nats is full. Free space there; then nats starts again by itself',
  )
  expect(readsLine(readsOf('up 1\n'), 1e9, '/data/nats', 0)).toBe(
    'reads: unknown, because tracking does not answer',
  )
})

const START = Date.parse('2026-11-24T16:00:00Z')
const LOCAL = new Date(START - 90_000)
const two = (n: number) => String(n).padStart(2, '0')
const ofBroker = `[77] ${LOCAL.getFullYear()}/${two(LOCAL.getMonth() + 1)}/${two(LOCAL.getDate())} ${two(LOCAL.getHours())}:${two(LOCAL.getMinutes())}:${two(LOCAL.getSeconds())}.123456 [ERR] no space left`

test.for([
  { error: '2026-11-24T15:58:30.000Z database lost', age: '1 min ago' },
  { error: '2026-11-24 15:59:20.123 UTC [9] FATAL:  no', age: '39 s ago' },
  { error: ofBroker, age: '1 min ago' },
  { error: '2026-11-24T14:00:00Z no', age: '2 h ago' },
])(
  '$error is shown with its age, and no more when the process is healthy since a later start',
  ({ error, age }) => {
    expect(withAge(error, START)).toBe(`${age}: ${error}`)
    const at = { isHealthy: true, startedAt: START, now: START }
    expect(isCurrent(error, at)).toBe(false)
    expect(isCurrent(error, { ...at, isHealthy: false })).toBe(true)
    expect(isCurrent(error, { ...at, startedAt: START - 10_000_000 })).toBe(true)
    expect(isCurrent(error, { ...at, startedAt: undefined })).toBe(true)
    expect(isCurrent(error, { isHealthy: false, startedAt: undefined, now: START + 24 * 3_600_000 })).toBe(
      false,
    )
  },
)

test('an error without a time is shown as it is', () => {
  expect(withAge('no space left', START)).toBe('no space left')
  expect(isCurrent('no space left', { isHealthy: true, startedAt: START, now: START })).toBe(true)
})

test('days of history that wait to be packed are a line while there are any', () => {
  const shown = (metrics: string) => historyLine(daysWaitingOf(metrics))
  expect(shown('history_days_waiting{service="tracking"} 360\n')).toEqual([
    'history: 360 days wait to be packed, one after the other; nothing is to be done',
  ])
  expect(shown('history_days_waiting{service="tracking"} 0\n')).toEqual([])
  expect(shown('up 1\n')).toEqual([])
})
