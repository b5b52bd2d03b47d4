import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import { timedWork } from '@whereabouts/service-kit/timed-work'

export type Repeated = {
  /** Runs the work soon instead of at its next turn. */
  wake(): void
  /** Lets the running turn finish; none begins after it. */
  stop(): Promise<void>
}

/** Runs the work now and then `everyMs` after each end, never twice at once. A turn that fails is logged. */
export function repeat(
  name: string,
  { everyMs, log, registry }: { everyMs: number; log: Logger; registry?: Registry | undefined },
  work: () => Promise<unknown>,
): Repeated {
  const stopping = new AbortController()
  const measured = timedWork(registry, name, everyMs)
  let woken = false
  let wake: (() => void) | undefined

  const pause = () =>
    new Promise<void>((resolve) => {
      if (woken || stopping.signal.aborted) return resolve()
      const timer = setTimeout(resolve, everyMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = false
      await work().then(measured.done, (error: unknown) => {
        measured.failed()
        log.warn({ err: error, loop: name }, 'turn failed, trying again')
      })
      await pause()
    }
  }

  const ended = run()
  return {
    wake() {
      woken = true
      wake?.()
    },
    stop() {
      stopping.abort()
      wake?.()
      return ended
    },
  }
}
