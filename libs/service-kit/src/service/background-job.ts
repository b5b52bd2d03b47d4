import { setTimeout as wait } from 'node:timers/promises'
import type { Registry } from '../observe/metrics.ts'
import { timedWork } from './timed-work.ts'

export type BackgroundJob = {
  /** Resolves when the first turn has ended, also when it failed. */
  readonly firstTurn: Promise<void>
  /** Starts the next turn now, or right after the turn that is running. */
  wake: () => void
  /** Waits for the running turn. No turn starts after it. */
  stop: () => Promise<void>
}

type Options = {
  /** Shown in the log (`job`) and in the metrics of `timedWork` (`work`). */
  name: string
  /** Pause between the end of a turn and the start of the next one. */
  everyMs: number
  log: { warn(fields: Record<string, unknown>, text: string): void }
  /** Without it the job has no metrics. */
  registry?: Registry | undefined
  /** Pause after a failure. It doubles with each further failure. By default a second, or `everyMs` if that is less. */
  retryMs?: number
  /** Longest pause after a failure; by default `everyMs`. */
  maxRetryMs?: number
  /**
   * Largest part of the time that turns may take; slow turns run less often. The shorter of the last two turns
   * counts, because a single slow turn (at start, on a busy machine) must not delay the next one for minutes.
   */
  maxShare?: number
}

/** One turn. It may return when the next one is due. `stopping` aborts when the job is stopped. */
type Turn = (stopping: AbortSignal) => Promise<{ nextInMs: number } | void>

/**
 * Runs `turn` at once and then repeatedly, never twice at the same time. A failed turn is logged, counted and
 * retried. A failure during `stop()` is ignored, because the turn was told to stop.
 */
export function startBackgroundJob(options: Options, turn: Turn): BackgroundJob {
  const { name, everyMs, log, registry, maxShare = 1 } = options
  const { retryMs = Math.min(everyMs, 1_000), maxRetryMs = Math.max(everyMs, retryMs) } = options
  const stopping = new AbortController()
  const measured = timedWork(registry, name, everyMs)
  let bell = new AbortController()
  let failures = 0
  let previousMs = 0

  /** Returns the pause until the next turn. */
  async function run(): Promise<number> {
    try {
      const next = await turn(stopping.signal)
      failures = 0
      measured.done()
      return next?.nextInMs ?? everyMs
    } catch (error) {
      if (stopping.signal.aborted) return 0
      const pauseMs = Math.min(retryMs * 2 ** failures, maxRetryMs)
      failures += 1
      measured.failed()
      log.warn({ err: error, job: name, retry_in_ms: pauseMs }, 'background job failed; will retry')
      return pauseMs
    }
  }

  async function runAndPause(): Promise<void> {
    const startedAt = performance.now()
    const woken = bell.signal
    const pauseMs = await run()
    firstTurn.resolve()
    const tookMs = performance.now() - startedAt
    const restMs = maxShare < 1 ? Math.min(previousMs, tookMs) / maxShare : 0
    previousMs = tookMs
    const waitMs = Math.max(pauseMs, restMs)
    if (waitMs > 0) await wait(waitMs, undefined, { signal: woken }).catch(() => undefined)
    if (woken.aborted) bell = new AbortController()
  }

  const firstTurn = Promise.withResolvers<void>()
  const ended = (async () => {
    while (!stopping.signal.aborted) await runAndPause()
  })()
  return {
    firstTurn: firstTurn.promise,
    wake: () => bell.abort(),
    stop: () => {
      stopping.abort()
      bell.abort()
      return ended
    },
  }
}
