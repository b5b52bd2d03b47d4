import { pino, type Logger, type LoggerOptions } from 'pino'
import { buildInfo } from './build-info.ts'

export type { Logger } from 'pino'

/** Lines are buffered up to this size and time: a write per line would cost more than the line. */
const BUFFER_BYTES = 8 * 1024
const BUFFER_MS = 100

/**
 * One JSON line per event. Secrets are redacted in known places, although no code should log them: a header or a body
 * in a context object must not become a leak.
 *
 * Lines are written up to 100 ms late, and at once when the process exits. SIGKILL loses the last 100 ms.
 */
export function createLogger(service: string, level: string): Logger {
  const destination = pino.destination({ sync: false, minLength: BUFFER_BYTES })
  setInterval(() => destination.flush(), BUFFER_MS).unref()
  return pino(loggerOptions(service, level), destination)
}

/** The logger of a service that starts. Its first line names the build. */
export function createServiceLogger(service: string, level: string): Logger {
  const log = createLogger(service, level)
  log.info(buildInfo(), 'starting')
  return log
}

/** Exported for tests. */
export function loggerOptions(service: string, level: string): LoggerOptions {
  return {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { request_id: shortened },
    redact: {
      paths: [
        'headers.authorization',
        'headers["x-principal"]',
        '*.client_secret',
        '*.password',
        '*.refresh_token',
        '*.secret',
      ],
      censor: '[redacted]',
    },
  }
}

/** The client chooses the id: whole, it may be 16 KiB in each line. Answers still name it whole. */
const MAX_LOGGED_ID = 128
const shortened = (id: unknown) => (typeof id === 'string' ? id.slice(0, MAX_LOGGED_ID) : id)
