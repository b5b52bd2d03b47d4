import { pino, type Logger } from 'pino'

export type { Logger } from 'pino'

/**
 * One JSON line per event. Secrets are cut out wherever they could stand, though nothing should log them: a header
 * or a body slipped into a context object must not become a leak.
 */
export function createLogger(service: string, level: string): Logger {
  return pino({
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
  })
}
