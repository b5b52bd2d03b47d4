import type { Logger } from '@whereabouts/service-kit/logging'

const EVERY_MS = 10 * 60_000

/** Runs `purge` every ten minutes. Any number of gateways may: deleting what is gone deletes nothing. */
export function startPurge(purge: () => Promise<number>, log: Logger): { stop(): void } {
  const timer = setInterval(() => {
    purge().then(
      (deleted) => log.debug({ deleted }, 'full rate buckets forgotten'),
      (error: unknown) => log.warn({ err: error }, 'full rate buckets could not be forgotten'),
    )
  }, EVERY_MS)
  return { stop: () => clearInterval(timer) }
}
