import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { TokenVerifier } from './token-verifier.ts'

const EVERY_MS = 5 * 60_000
const RETRY_MS = 1_000
/** Short, because a gateway without keys is not ready. */
const MAX_RETRY_MS = 5_000

/**
 * Fetches the signing keys now and every five minutes, so that a withdrawn key stops being trusted. After a failure the
 * known keys stay in use.
 */
export function startKeyRefresh(
  verifier: TokenVerifier,
  { log, registry }: { log: Logger; registry?: Registry },
): BackgroundJob {
  const retry = { retryMs: RETRY_MS, maxRetryMs: MAX_RETRY_MS }
  return startBackgroundJob(
    { name: 'signing-key-refresh', everyMs: EVERY_MS, log, registry, ...retry },
    async () => {
      await verifier.refresh()
    },
  )
}
