import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import { timedWork } from '@whereabouts/service-kit/timed-work'
import type { TokenVerifier } from './token-verifier.ts'

const EVERY_MS = 5 * 60_000
const UNTIL_FIRST_MS = 1_000

/**
 * Fetches the signing keys at once, again every second until it works, then every five minutes, so that a key which
 * was withdrawn stops being trusted. A failure leaves the known ones in use.
 */
export function startKeyRefresh(
  verifier: TokenVerifier,
  { log, registry }: { log: Logger; registry?: Registry },
): { stop(): void } {
  const measured = timedWork(registry, 'signing-key-refresh', EVERY_MS)
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function refresh(): void {
    verifier
      .refresh()
      .then(measured.done, (error: unknown) => {
        measured.failed()
        log.warn({ err: error }, 'signing keys could not be refreshed')
      })
      .finally(() => {
        if (!stopped) timer = setTimeout(refresh, verifier.hasKeys() ? EVERY_MS : UNTIL_FIRST_MS)
      })
  }
  refresh()
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
