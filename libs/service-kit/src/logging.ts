import { pino, type Logger, type LoggerOptions } from 'pino'

export type { Logger } from 'pino'

/** Lines are gathered up to this size, and for at most this long: a write for each would cost more than the line. */
const GATHERED_BYTES = 8 * 1024
const GATHERED_MS = 100

/**
 * One JSON line per event. Secrets are cut out wherever they could stand, though nothing should log them: a header
 * or a body slipped into a context object must not become a leak.
 *
 * Lines leave up to 100 ms later than they were written, at once when the process exits; SIGKILL loses that much.
 */
export function createLogger(service: string, level: string): Logger {
  const destination = pino.destination({ sync: false, minLength: GATHERED_BYTES })
  setInterval(() => destination.flush(), GATHERED_MS).unref()
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
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
  return pino(options, destination)
}
