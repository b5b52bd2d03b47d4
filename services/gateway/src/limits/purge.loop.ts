import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import { timedWork } from '@whereabouts/service-kit/timed-work'

const EVERY_MS = 10 * 60_000

/** Runs `purge` every ten minutes. Any number of gateways may: deleting what is gone deletes nothing. */
export function startPurge(
  purge: () => Promise<number>,
  { log, registry }: { log: Logger; registry?: Registry },
): { stop(): void } {
  const measured = timedWork(registry, 'bucket-purge', EVERY_MS)
  const turn = async () => {
    try {
      log.debug({ deleted: await purge() }, 'full rate buckets forgotten')
      measured.done()
    } catch (error) {
      measured.failed()
      log.warn({ err: error }, 'full rate buckets could not be forgotten')
    }
  }
  const timer = setInterval(() => void turn(), EVERY_MS)
  return { stop: () => clearInterval(timer) }
}
