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
