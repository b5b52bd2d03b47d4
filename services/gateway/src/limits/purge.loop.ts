import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'

const EVERY_MS = 10 * 60_000

/** Runs `purge` every ten minutes. Several gateways may do so at once. */
export function startPurge(
  purge: () => Promise<number>,
  { log, registry }: { log: Logger; registry?: Registry },
): BackgroundJob {
  return startBackgroundJob({ name: 'bucket-purge', everyMs: EVERY_MS, log, registry }, async () => {
    log.debug({ deleted: await purge() }, 'full rate-limit buckets deleted')
  })
}
