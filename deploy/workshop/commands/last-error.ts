import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const TAIL_BYTES = 256 * 1024
const LONGEST = 160
const PINO_ERROR = 50

/** The last line of a log that `isError` finds in its end, shortened; undefined if there is none. */
export function lastError(file: string, isError: (line: string) => string | undefined): string | undefined {
  for (const line of tailOf(file).split('\n').toReversed()) {
    const found = isError(line)
    if (found !== undefined) return found.length > LONGEST ? `${found.slice(0, LONGEST - 1)}…` : found
  }
  return undefined
}

/** An error line of a service (JSON), of nats-server or of PostgreSQL, as `time message`; undefined for other lines. */
export function isErrorLine(line: string): string | undefined {
  if (!line.startsWith('{')) return /\[(?:ERR|FTL)\]|\b(?:ERROR|FATAL|PANIC):/.test(line) ? line : undefined
  try {
    const { level, time, msg } = JSON.parse(line) as {
      level?: number | string
      time?: number | string
      msg?: string
    }
    const isError = Number(level) >= PINO_ERROR || level === 'error' || level === 'fatal'
    if (!isError) return undefined
    const at = typeof time === 'number' ? new Date(time).toISOString() : (time ?? '')
    return `${at} ${msg ?? ''}`.trim()
  } catch {
    return undefined // a line that is being written
  }
}

/** Services write ISO times, PostgreSQL its time zone, nats-server the time of this machine. */
const TIME = /(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|UTC|GMT)?/

function timeOf(error: string): number | undefined {
  const [, year, month, day, time, zone] = TIME.exec(error) ?? []
  const at = Date.parse(`${year}-${month}-${day}T${time?.slice(0, 12)}${zone === undefined ? '' : 'Z'}`)
  return Number.isNaN(at) ? undefined : at
}

const OLD_MS = 24 * 3_600_000

/** `startedAt` of the process, if it runs. */
type Circumstances = { isHealthy: boolean; startedAt: number | undefined; now: number }

/**
 * Whether an error still says something: it is not older than a day, and not from before the start of a process that is
 * healthy now. An error without a readable time is kept.
 */
export function isCurrent(error: string, { isHealthy, startedAt, now }: Circumstances): boolean {
  const at = timeOf(error)
  if (at === undefined) return true
  return now - at <= OLD_MS && !(isHealthy && startedAt !== undefined && at < startedAt)
}

const UNITS = [
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** The error with its age in front. */
export function withAge(error: string, now: number): string {
  const at = timeOf(error)
  if (at === undefined) return error
  const age = Math.max(0, now - at)
  const [unit, ms] = UNITS.find(([, length]) => age >= length) ?? ['s', 1_000]
  return `${Math.floor(age / ms)} ${unit} ago: ${error}`
}

function tailOf(file: string): string {
  try {
    const log = openSync(file, 'r')
    try {
      const { size } = fstatSync(log)
      const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES))
      readSync(log, buffer, 0, buffer.length, size - buffer.length)
      return buffer.toString()
    } finally {
      closeSync(log)
    }
  } catch {
    return '' // no log yet
  }
}
